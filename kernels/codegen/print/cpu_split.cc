// SPDX-License-Identifier: MIT
//
// Reductions that work items of the cpu device divide among them: what each leaves, and what is
// made of it.
#include <algorithm>

#include "kernels/codegen/print/cpu_statements.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::codegen {

void CpuStatements::HandOver(int index) {
  const LoopTree& tree = code_.tree;
  const LoopNode& node = tree.node(index);
  const SplitReduction& split =
      code_.splits.reductions[At(code_.splits.of_inst[node.inst.index()])];
  const bool leaves = part_->finishes < 0;
  // Where the first of these registers lies.
  Affine where;
  std::uint64_t step = split.num_registers * split.num_slots;
  const auto add = [&](const std::vector<int>& classes) {
    for (auto c = classes.rbegin(); c != classes.rend(); ++c) {
      where.Add(*c, static_cast<std::int64_t>(step));
      step *= tree.classes[At(*c)].size;
    }
  };
  if (leaves) add(split.split_classes);
  step = split.splits * split.num_registers * split.num_slots;
  add(split.tile_classes);
  std::string start = PartialName(split.id) + " + " + Text(where, 0);
  step = 1;
  for (const ThreadDigit& slot : split.slots) {
    start += " + " + ThreadIndex(slot.stride, slot.size, tree.num_threads);
    if (step != 1) start += " * " + std::to_string(step);
    step *= slot.size;
  }
  const std::string element(RegisterName(HeldBy(split.id)));
  const bool for_threads = Storage(split.id).per_thread && !tree.InThreads(index);
  const std::string comment = code_.function->inst(split.id).name() +
                              (leaves ? ": what the block has of it" : ": one of all blocks");
  out_.Open(for_threads ? loops::ForText("long", "t", 0, tree.num_threads) : "", comment);
  out_.Line((leaves ? "" : "const ") + element + "* const partial = " + start + ";");
  const std::vector<Place> places = RegistersAt(split.id, index);
  leaves ? Leave(split, places) : Take(split, places);
  out_.Close();
}

void CpuStatements::Leave(const SplitReduction& split, const std::vector<Place>& places) {
  const std::uint32_t lanes = Storage(split.id).lanes;
  const std::string writes = Condition(split.silent, split.below);
  if (!writes.empty()) out_.Open("if (" + writes + ")");
  for (const auto& [name, key, number, lane] : places) {
    const std::uint64_t first = number * split.num_slots, step = lane * split.num_slots;
    if (lanes > 1 && step == 1) {
      out_.Line("store" + std::to_string(lanes) + VectorSuffix(HeldBy(split.id)) + "(partial + " +
                std::to_string(first) + ", " + name + ");");
      continue;
    }
    for (std::uint64_t l = 0; l < lanes; ++l) {
      out_.Line("partial[" + std::to_string(first + l * step) + "] = " + name +
                (lanes > 1 ? "[" + std::to_string(l) + "]" : "") + ";");
    }
  }
  if (!writes.empty()) out_.Close();
}

/// Threads that have the same value do not share the work: here they run one after the other.
void CpuStatements::Take(const SplitReduction& split, const std::vector<Place>& places) {
  const ir::Instruction& inst = code_.function->inst(split.id);
  const ir::Type held = HeldBy(split.id);
  const std::uint32_t lanes = Storage(split.id).lanes;
  const auto partial = [&](const Place& place, const std::string& block) {
    const std::uint64_t first = place.number * split.num_slots, step = place.lane * split.num_slots;
    const auto at = [&](std::uint64_t l) { return block + std::to_string(first + l * step); };
    if (lanes == 1) return "partial[" + at(0) + "]";
    if (step == 1) {
      return "load" + std::to_string(lanes) + VectorSuffix(held) + "(partial + " + at(0) + ")";
    }
    std::string text = VectorName(held, lanes) + "{";
    for (std::uint64_t l = 0; l < lanes; ++l)
      text += (l > 0 ? ", partial[" : "partial[") + at(l) + "]";
    return text + "}";
  };
  for (const Place& place : places) out_.Line(place.name + " = " + partial(place, "") + ";");
  if (split.splits == 1) return;
  const std::uint64_t step = std::uint64_t{split.num_registers} * split.num_slots;
  const std::string block = "split * " + std::to_string(step) + " + ";
  out_.Open(loops::ForText("long", "split", 1, static_cast<std::int64_t>(split.splits)));
  for (const Place& place : places) {
    out_.Line(place.name + " = " + Combined(inst, place.name, partial(place, block), lanes) + ";");
  }
  out_.Close();
}

}  // namespace exh::kernels::codegen
