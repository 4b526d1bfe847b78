// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "kernels/fused/code/body_printer.h"
#include "kernels/fused/element.h"

namespace exh::kernels::fused {
std::vector<BodyPrinter::Staged> BodyPrinter::StagedIn(const NestNode& body,
                                                       const ir::IndexVariable& along,
                                                       const ir::IndexVariable& across) const {
  const auto calls = loops::CallsOf(body);
  if (!calls) return {};
  std::map<int, ir::Index> written;  // By array: its element.
  for (const NestNode* call : *calls) {
    if (PieceOf(*call).what != StatementPiece::What::kWhole) return {};
    for (const Use& use : UsesOf(*call)) {
      // What is read after it was written is in a register, as the element of the same name.
      const auto found = written.find(use.cell.first);
      if (found != written.end() && found->second != use.cell.second) return {};
      if (use.is_write) written.insert(use.cell);
    }
  }
  std::vector<Staged> staged;
  const auto add = [&](const Access& access, const std::vector<ir::Index>& arguments,
                       bool is_write) {
    if (!access.is_affine() || access.is_guarded) return;
    const Cell cell = {access.tensor, ElementOf(access, array(access.tensor).shape, arguments)};
    const std::optional<std::int64_t> far = StrideAlong(cell.second, along),
                                      near = StrideAlong(cell.second, across);
    if (!far || !near || *near != 1 || *far == 1 || *far == 0) return;
    const bool is_known =
        std::ranges::any_of(staged, [&](const Staged& other) { return other.cell == cell; });
    if (is_known || (!is_write && written.contains(cell.first))) return;
    staged.push_back({cell, is_write});
  };
  for (const NestNode* call : *calls) {
    const Statement& of = StatementOf(*call);
    const std::vector<ir::Index> arguments = ArgumentsOf(*call);
    for (const Access& read : of.reads) add(read, arguments, /*is_write=*/false);
    add(of.write, arguments, /*is_write=*/true);
  }
  return staged;
}

void BodyPrinter::StageRead(const Cell& cell, const std::string& place) {
  read_.insert(cell.first);
  Line(fmt::format("{} = {};", place, ElementText(cell)));
}

void BodyPrinter::Stage(const Staged& staged, const std::string& place) {
  if (staged.is_write) {
    staged_[staged.cell] = place;
  } else {
    registers_[staged.cell] = derived::LoadText(place, array(staged.cell.first).type, helpers_);
  }
}

void BodyPrinter::EndStages() {
  staged_.clear();
  registers_.clear();
}

void BodyPrinter::StoreStaged(const Cell& cell, const std::string& place) {
  if (!IsStored(cell.first) || leaves_out_stores_) return;
  PrintStore(fmt::format("{} = {};", ElementText(cell), place));
}

}  // namespace exh::kernels::fused
