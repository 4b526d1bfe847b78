// SPDX-License-Identifier: MIT
//
// How the slices that threads have of a reduction become one value, as text: what combine_plan.h
// decides, and its invariant. First the shuffles, of which each leaves half as many registers to a
// thread or makes two threads the same; then what is left through shared memory, as many registers
// at a time as it has place for; then the shuffles that give all registers to all threads.
#include <algorithm>
#include <ranges>

#include "kernels/codegen/print/gpu/statements.h"
#include "kernels/codegen/print/op_text.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::codegen {
namespace {

void AddTerm(const std::string& term, const char* between, std::string& sum) {
  sum += (sum.empty() ? "" : between) + term;
}

/// Every `step`-th.
std::vector<std::string> EveryOf(const std::vector<std::string>& all, std::size_t step) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < all.size(); i += step) found.push_back(all[i]);
  return found;
}

}  // namespace

void GpuStatements::CombineSlices(const Combine& combine, std::uint64_t offset) {
  if (code_.function->inst(combine.reduction).is_scan()) return JoinSlicesOfScan(combine, offset);
  const int split = code_.splits.of_inst[combine.reduction.index()];
  const bool is_handed_over = split >= 0 && SlicesOf(combine.reduction) != nullptr &&
                              !code_.splits.reductions[At(split)].is_atomic();
  out_.Line("// " + code_.function->inst(combine.reduction).name() + ": one of all slices");
  Halve(combine);
  CombineOwned(combine, offset);
  if (!is_handed_over) ShareOwned(combine);
}

std::vector<std::string> GpuStatements::MeetingRegisters(const Combine& combine) const {
  std::vector<std::string> names;
  for (const Place& place : RegistersAt(combine.reduction, combine.node)) {
    names.push_back(place.name);
  }
  return names;
}

void GpuStatements::Halve(const Combine& combine) {
  const std::vector<std::string> all = MeetingRegisters(combine);
  const std::string function = CombineFunction(code_.function->inst(combine.reduction));
  std::size_t step = 1;  // Between two that the thread owns.
  for (const std::uint32_t bit : BitsIn(combine.halved)) {
    out_.Open("");
    out_.Line("const bool exh_odd = " + ThreadIndex(bit, 2, code_.tree.num_threads) + " != 0;");
    for (std::size_t i = 0; i < all.size(); i += 2 * step) {
      const std::string &even = all[i], &odd = all[i + step];
      out_.Line(even + " = " + function + "(exh_odd ? " + odd + " : " + even + ", " +
                ShuffleText("exh_odd ? " + even + " : " + odd, bit) + ");");
    }
    out_.Close();
    step *= 2;
  }
}

void GpuStatements::ShareOwned(const Combine& combine) {
  const std::vector<std::string> all = MeetingRegisters(combine);
  const ir::Type held = ir::ComputeTypeOf(code_.function->inst(combine.reduction).type);
  const std::string element = words_.Register(held);
  std::size_t step = all.size() / combine.owned;
  for (const std::uint32_t bit : BitsIn(combine.halved) | std::views::reverse) {
    out_.Open("");
    out_.Line("const bool exh_odd = " + ThreadIndex(bit, 2, code_.tree.num_threads) + " != 0;");
    for (std::size_t i = 0; i < all.size(); i += step) {
      const std::string &even = all[i], &odd = all[i + step / 2];
      out_.Line("{ const " + element + " exh_other = " + ShuffleText(even, bit) + "; " + odd +
                " = exh_odd ? " + even + " : exh_other; " + even +
                " = exh_odd ? exh_other : " + even + "; }");
    }
    out_.Close();
    step /= 2;
  }
}

void GpuStatements::CombineOwned(const Combine& combine, std::uint64_t offset) {
  const std::vector<std::string> all = MeetingRegisters(combine);
  const std::string function = CombineFunction(code_.function->inst(combine.reduction));
  for (const std::uint32_t bit : BitsIn(combine.shuffled)) {
    for (const std::string& own : EveryOf(all, all.size() / combine.owned)) {
      out_.Line(own + " = " + function + "(" + own + ", " + ShuffleText(own, bit) + ");");
    }
  }
  if (!combine.shared.empty()) MeetInShared(combine, offset);
}

GpuStatements::SliceWalk GpuStatements::WalkOf(const Combine& combine) const {
  SliceWalk walk;
  std::vector<std::uint32_t> steps;  // Of the slices, in slots.
  std::uint32_t step = 1;
  for (const ThreadDigit& d : combine.slots) {
    const std::string digit = ThreadIndex(d.stride, d.size, code_.tree.num_threads);
    const std::string text = step == 1 ? digit : "(" + digit + ") * " + std::to_string(step);
    const bool is_slice = std::ranges::any_of(
        combine.shared, [&](const ThreadDigit& slice) { return slice.stride == d.stride; });
    AddTerm(text, " + ", walk.slot);
    if (is_slice) {
      steps.push_back(step);
    } else {
      AddTerm(text, " + ", walk.first);
    }
    step *= d.size;
  }
  if (walk.first.empty()) walk.first = "0";
  for (const ThreadDigit& d : combine.shared) walk.slices *= d.size;
  // A digit after the other.
  walk.from = "exh_first";
  std::uint32_t before = 1;
  for (std::size_t i = 0; i < combine.shared.size(); ++i) {
    const std::uint32_t size = combine.shared[i].size;
    const bool is_first = before * size == walk.slices;
    std::string index = loops::DigitText("s", before, size, is_first);
    if (!is_first) index = "(" + index + ")";
    walk.from += " + " + index + (steps[i] == 1 ? "" : " * " + std::to_string(steps[i]));
    before *= size;
  }
  return walk;
}

void GpuStatements::MeetInShared(const Combine& combine, std::uint64_t offset) {
  const ir::Instruction& inst = code_.function->inst(combine.reduction);
  const ir::Type held = ir::ComputeTypeOf(inst.type);
  const std::vector<std::string> all = MeetingRegisters(combine);
  const std::vector<std::string> owned = EveryOf(all, all.size() / combine.owned);
  const std::string slices = words_.Pointer(words_.Register(held), MemSpace::SHARED);
  const std::string function = CombineFunction(inst);
  const bool all_write = combine.below >= code_.tree.num_threads;
  const std::string writers = Condition(combine.silent, all_write ? 0 : combine.below);
  const SliceWalk walk = WalkOf(combine);
  out_.Open("");
  out_.Line(slices + " const exh_slices = " + words_.CastPointer(slices, "exh_shared") + " + " +
            std::to_string(offset / ir::BytesOf(held)) + ";");
  out_.Line("const int exh_slot = " + walk.slot + ", exh_first = " + walk.first + ";");
  for (std::size_t begin = 0; begin < owned.size(); begin += combine.at_once) {
    const std::size_t end = std::min<std::size_t>(owned.size(), begin + combine.at_once);
    const auto place = [&](std::size_t i, const std::string& index) {
      const std::string base = std::to_string((i - begin) * combine.num_slots);
      return "exh_slices[" + (i == begin ? index : base + " + " + index) + "]";
    };
    out_.Line(Meet());
    out_.Open(writers.empty() ? "" : "if (" + writers + ")");
    for (std::size_t i = begin; i < end; ++i) {
      out_.Line(place(i, "exh_slot") + " = " + owned[i] + ";");
    }
    out_.Close();
    out_.Line(Meet());
    for (std::size_t i = begin; i < end; ++i) {
      out_.Line(owned[i] + " = " + place(i, "exh_first") + ";");
    }
    out_.Open(loops::ForText("int", "s", 1, walk.slices));
    out_.Line("const int exh_from = " + walk.from + ";");
    for (std::size_t i = begin; i < end; ++i) {
      out_.Line(owned[i] + " = " + function + "(" + owned[i] + ", " + place(i, "exh_from") + ");");
    }
    out_.Close();
  }
  out_.Close();
}

}  // namespace exh::kernels::codegen
