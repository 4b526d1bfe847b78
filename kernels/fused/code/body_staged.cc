// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "kernels/fused/code/body_printer.h"
#include "kernels/fused/code/element_text.h"

namespace exh::kernels::fused {
namespace {

/// How far apart neighbours along a loop are; nothing: that is not the same everywhere.
std::optional<std::int64_t> StrideAlong(const FlatAccess& flat,
                                        const std::vector<std::string>& arguments,
                                        const std::string& variable) {
  std::int64_t stride = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!Mentions(arguments[i], variable)) continue;
    if (arguments[i] != variable) return std::nullopt;
    stride += flat.strides[i];
  }
  return stride;
}

}  // namespace

std::vector<BodyPrinter::Staged> BodyPrinter::StagedIn(const NestNode& body,
                                                       const std::string& along,
                                                       const std::string& across) const {
  std::vector<const NestNode*> calls;
  if (!AddCalls(body, calls)) return {};
  std::map<int, std::string> written;  // By array: its element.
  for (const NestNode* call : calls) {
    if (PieceOf(*call).what != Piece::What::kWhole) return {};
    for (const Use& use : UsesOf(*call)) {
      // What is read after it was written is in a register, as the element of the same name.
      const auto found = written.find(use.cell.first);
      if (found != written.end() && found->second != use.cell.second) return {};
      if (use.is_write) written.insert(use.cell);
    }
  }
  std::vector<Staged> staged;
  const auto add = [&](const Access& access, const std::vector<std::string>& arguments,
                       bool is_write) {
    if (!access.is_affine() || access.is_guarded) return;
    const std::vector<std::int64_t>& shape = array(access.tensor).shape;
    const FlatAccess flat = FlatOf(access, shape, static_cast<int>(arguments.size()));
    const std::optional<std::int64_t> far = StrideAlong(flat, arguments, along),
                                      near = StrideAlong(flat, arguments, across);
    if (!far || !near || *near != 1 || *far == 1 || *far == 0) return;
    const Cell cell = {access.tensor, ElementText(access, shape, arguments)};
    const bool is_known =
        std::ranges::any_of(staged, [&](const Staged& other) { return other.cell == cell; });
    if (is_known || (!is_write && written.contains(cell.first))) return;
    staged.push_back({cell, is_write});
  };
  for (const NestNode* call : calls) {
    const Statement& of = StatementOf(*call);
    const std::vector<std::string> arguments = ArgumentsOf(*call);
    for (const Access& read : of.reads) add(read, arguments, /*is_write=*/false);
    add(of.write, arguments, /*is_write=*/true);
  }
  return staged;
}

void BodyPrinter::StageRead(const Cell& cell, const std::string& place) {
  read_.insert(cell.first);
  Line(fmt::format("{} = {}[{}];", place, NameOf(cell.first), cell.second));
}

void BodyPrinter::Stage(const Staged& staged, const std::string& place) {
  if (staged.is_write) {
    staged_[staged.cell] = place;
  } else {
    registers_[staged.cell] = derived::LoadText(place, array(staged.cell.first).type);
  }
}

void BodyPrinter::EndStages() {
  staged_.clear();
  registers_.clear();
}

void BodyPrinter::StoreStaged(const Cell& cell, const std::string& place) {
  if (!IsStored(cell.first)) return;
  PrintStore(fmt::format("{}[{}] = {};", NameOf(cell.first), cell.second, place));
}

}  // namespace exh::kernels::fused
