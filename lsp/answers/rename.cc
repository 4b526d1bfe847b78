// SPDX-License-Identifier: MIT
//
// Another name for what a name stands for. The new text is read before it is answered: where it has
// a mistake that the old one had not, or its names do not stand for the same things, nothing is
// renamed. So what a name hides, or is hidden by, need not be known here.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lsp/answers/names.h"
#include "lsp/answers/places.h"
#include "lsp/wire/rpc_error.h"

namespace exh::lsp {
namespace {

/// A place in a file, whichever analysis it is of.
using Spot = std::pair<std::uint32_t, std::uint32_t>;

struct RenamedFile {
  std::string uri;
  std::string text;  ///< As it is now.
  std::set<Spot> spots;
  Json edits = Json::array();
};

std::string PathOf(const Analysis& analysis, std::uint32_t file) {
  return RealPath(analysis.sources().file(file).path);
}

/// The uses of what is declared there, in one space.
void Collect(const Analysis& analysis, const std::string& path, dsl::SourceRange declared,
             const std::string& name, const Workspace& workspace,
             std::map<std::string, RenamedFile>& files) {
  for (const dsl::NameUse& use : analysis.uses()) {
    const bool is_it = use.declared.begin == declared.begin && use.declared.end == declared.end &&
                       PathOf(analysis, use.declared.file) == path;
    if (!is_it) continue;
    RenamedFile& file = files[PathOf(analysis, use.range.file)];
    file.uri = UriOf(analysis, use.range.file, workspace);
    file.text = analysis.sources().file(use.range.file).text;
    if (!file.spots.emplace(use.range.begin, use.range.end).second) continue;
    file.edits.push_back({{"range", JsonOf(analysis, use.range)}, {"newText", name}});
  }
}

/// The text with all spots replaced.
std::string TextWith(const RenamedFile& file, const std::string& name) {
  std::string text;
  std::uint32_t at = 0;
  for (const auto& [begin, end] : file.spots) {
    text += file.text.substr(at, begin - at) + name;
    at = end;
  }
  return text + file.text.substr(at);
}

/// Where a byte of a file is after the change.
std::uint32_t Moved(const std::map<std::string, RenamedFile>& files, const std::string& path,
                    std::uint32_t at, std::size_t length) {
  const auto file = files.find(path);
  if (file == files.end()) return at;
  std::int64_t moved = at;
  for (const auto& [begin, end] : file->second.spots) {
    if (begin >= at) break;
    moved += static_cast<std::int64_t>(length) - (end - begin);
  }
  return static_cast<std::uint32_t>(moved);
}

/// What each name stands for, by where both are.
using Meanings = std::set<
    std::pair<std::pair<std::string, std::uint32_t>, std::pair<std::string, std::uint32_t>>>;

template <typename Move>
Meanings MeaningsOf(const Analysis& analysis, const Move& move) {
  Meanings meanings;
  std::map<std::uint32_t, std::string> paths;
  const auto spot = [&](dsl::SourceRange range) {
    auto [path, is_new] = paths.try_emplace(range.file);
    if (is_new) path->second = PathOf(analysis, range.file);
    return std::pair(path->second, move(path->second, range.begin));
  };
  for (const dsl::NameUse& use : analysis.uses()) {
    meanings.insert({spot(use.range), spot(use.declared)});
  }
  return meanings;
}

/// Throws where the space would not be what it is.
void CheckIsSame(const Analysis& before, const AskedPlace& place,
                 const std::map<std::string, RenamedFile>& files, const std::string& name,
                 const Workspace& workspace) {
  OpenTexts texts = workspace.TextsOf(*place.language);
  for (const auto& [path, file] : files) texts[path] = TextWith(file, name);
  const Analysis after = place.language->Analyse(before.sources().file(0).path, texts);
  const auto mistakes = [](const Analysis& analysis) {
    const auto all = analysis.sink().Sorted();
    return std::ranges::count(all, dsl::Severity::kError, &dsl::Diagnostic::severity);
  };
  if (mistakes(after) > mistakes(before)) {
    throw RpcError(RpcCode::kRequestFailed,
                   fmt::format("'{}' would be a mistake: {}", name, FirstMistake(after.sink())));
  }
  const auto moved = [&](const std::string& path, std::uint32_t at) {
    return Moved(files, path, at, name.size());
  };
  const auto stays = [](const std::string&, std::uint32_t at) { return at; };
  if (MeaningsOf(before, moved) != MeaningsOf(after, stays)) {
    throw RpcError(RpcCode::kRequestFailed,
                   fmt::format("with the name '{}' something would mean another thing: it is taken "
                               "here",
                               name));
  }
}

bool IsUnwritten(const Analysis& analysis, const dsl::NameUse& use) {
  const Symbol* const symbol = analysis.Declared(use.declared);
  return symbol != nullptr && symbol->is_unwritten();
}

}  // namespace

Json RenameableAt(const AskedPlace& place) {
  const dsl::NameUse* const use = place.analysis->UseAt(place.file, place.offset);
  if (use == nullptr || IsUnwritten(*place.analysis, *use)) return nullptr;
  return {{"range", JsonOf(*place.analysis, use->range)},
          {"placeholder", place.analysis->sources().Text(use->range)}};
}

Json Renamed(const AskedPlace& place, const std::string& name, Workspace& workspace) {
  const dsl::NameUse* const use = place.analysis->UseAt(place.file, place.offset);
  const Symbol* const symbol = use == nullptr ? nullptr : place.analysis->Declared(use->declared);
  if (symbol == nullptr) throw RpcError(RpcCode::kRequestFailed, "there is no name here");
  if (symbol->is_unwritten()) {
    throw RpcError(RpcCode::kRequestFailed,
                   "the values of a flag are always called FALSE and TRUE");
  }
  std::string whole_name = name;
  if (symbol->name.starts_with('$') && !name.starts_with('$')) whole_name = "$" + name;
  const std::string problem = place.language->ProblemOfName(*symbol, whole_name);
  if (!problem.empty()) {
    throw RpcError(RpcCode::kInvalidParams, fmt::format("'{}': {}", name, problem));
  }
  const bool is_word = symbol->kind == SymbolKind::kRequirement &&
                       (symbol->name == "require" || symbol->name == "trigger");
  if (is_word)
    throw RpcError(RpcCode::kRequestFailed, "this has no name: 'require name: …' gives it one");
  const std::string path = PathOf(*place.analysis, use->declared.file);
  const dsl::SourceRange declared = use->declared;
  const auto spaces = workspace.SpacesOf(*place.document);
  std::map<std::string, RenamedFile> files;
  for (const auto& space : spaces) Collect(*space, path, declared, whole_name, workspace, files);
  for (const auto& space : spaces) CheckIsSame(*space, place, files, whole_name, workspace);
  Json changes = Json::object();
  for (auto& [name_of_file, file] : files) changes[file.uri] = std::move(file.edits);
  return {{"changes", std::move(changes)}};
}

}  // namespace exh::lsp
