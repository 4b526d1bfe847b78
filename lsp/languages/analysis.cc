// SPDX-License-Identifier: MIT
#include "lsp/languages/analysis.h"

#include <algorithm>
#include <utility>

#include "lsp/text/documents.h"

namespace exh::lsp {
namespace {

auto PlaceOf(const dsl::SourceRange& range) {
  return std::tuple(range.file, range.begin, range.end);
}

}  // namespace

Symbol& Analysis::Add(Symbol symbol) {
  by_place_.try_emplace(PlaceOf(symbol.range), symbols_.size());
  return symbols_.emplace_back(std::move(symbol));
}

void Analysis::Take(const dsl::NameUses& names) {
  for (const Symbol& symbol : symbols_) {
    if (!symbol.is_unwritten()) uses_.push_back({symbol.range, symbol.range});
  }
  for (const dsl::LocalName& local : names.locals) {
    if (Declared(local.range) != nullptr) continue;
    Symbol symbol;
    symbol.name = std::string(sources().Text(local.range));
    symbol.range = symbol.whole = local.range;
    symbol.is_local = true;
    symbol.head = local.text;
    Add(std::move(symbol));
  }
  uses_.insert(uses_.end(), names.uses.begin(), names.uses.end());
  std::ranges::sort(uses_, [](const dsl::NameUse& a, const dsl::NameUse& b) {
    return std::tuple(PlaceOf(a.range), PlaceOf(a.declared)) <
           std::tuple(PlaceOf(b.range), PlaceOf(b.declared));
  });
  // Of a place with two meanings, which only a mistake makes, the first one stays.
  const auto repeated = std::unique(
      uses_.begin(), uses_.end(), [](const auto& a, const auto& b) { return a.range == b.range; });
  uses_.erase(repeated, uses_.end());
}

const dsl::NameUse* Analysis::UseAt(std::uint32_t file, std::uint32_t offset) const {
  const auto next = std::ranges::partition_point(uses_, [&](const dsl::NameUse& use) {
    return std::pair(use.range.file, use.range.begin) <= std::pair(file, offset);
  });
  if (next == uses_.begin()) return nullptr;
  const dsl::NameUse& use = *(next - 1);
  return use.range.file == file && offset <= use.range.end ? &use : nullptr;
}

const Symbol* Analysis::Declared(dsl::SourceRange range) const {
  const auto found = by_place_.find(PlaceOf(range));
  return found == by_place_.end() ? nullptr : &symbols_[found->second];
}

std::optional<std::uint32_t> Analysis::FileOf(std::string_view path) const {
  for (std::uint32_t file = 0; file < sources().size(); ++file) {
    const std::string& own = sources().file(file).path;
    if (own == path || RealPath(own) == path) return file;
  }
  return std::nullopt;
}

const LineTable& Analysis::Lines(std::uint32_t file) const {
  if (lines_.size() <= file) lines_.resize(file + 1);
  if (!lines_[file]) lines_[file] = std::make_unique<LineTable>(sources().file(file).text);
  return *lines_[file];
}

}  // namespace exh::lsp
