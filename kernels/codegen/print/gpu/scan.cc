// SPDX-License-Identifier: MIT
//
// How the slices that threads have of a scan become one, as text (combine_plan.h). Each thread has
// accumulated its own steps. Two of a pair of lanes that differ in one bit tell each other what
// both have: the upper one puts what the lower one has before its own, and both know the sum. So a
// warp takes one shuffle for each bit, and all of its lanes know what all of them have. What warps
// have goes through shared memory, where each thread goes through it in order. Of several rows all
// of this is done at the same time; then each begins where the one before it ends. What is carried
// to the first slice is what blocks before have (look_back.cc) where these divide the scan. Last,
// it and what is before its own comes before each step of a thread.
#include <algorithm>
#include <bit>

#include "kernels/codegen/print/gpu/statements.h"
#include "kernels/codegen/print/op_text.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::codegen {

void GpuStatements::JoinSlicesOfScan(const Combine& combine, std::uint64_t offset) {
  const ir::Instruction& scan = code_.function->inst(combine.reduction);
  const std::string element = words_.Register(HeldBy(scan.id));
  const std::string function = CombineFunction(scan), identity = IdentityOf(scan);
  const auto columns = ScannedRegisters(scan.id);
  const auto join = [&](const std::string& before, const std::string& behind) {
    return function + "(" + before + ", " + behind + ")";
  };
  const std::size_t rows = columns.front().rows.size(), owned = columns.size() * rows;
  const auto all_of = [](std::size_t i) { return "exh_all_" + std::to_string(i); };
  const auto ahead_of = [](std::size_t i) { return "exh_ahead_" + std::to_string(i); };
  out_.Open("", scan.name() + ": from slice to slice");
  for (std::size_t i = 0; i < owned; ++i) {
    out_.Line(element + " " + all_of(i) + " = " + columns[i / rows].rows[i % rows].back() + ", " +
              ahead_of(i) + " = " + identity + ";");
  }
  for (const std::uint32_t bit : BitsIn(combine.shuffled)) {
    out_.Open("");
    out_.Line("const bool exh_odd = " + ThreadIndex(bit, 2, code_.tree.num_threads) + " != 0;");
    for (std::size_t i = 0; i < owned; ++i) {
      out_.Line("{ const " + element + " exh_other = " + ShuffleText(all_of(i), bit) +
                "; if (exh_odd) " + ahead_of(i) + " = " + join("exh_other", ahead_of(i)) + "; " +
                all_of(i) + " = " + join(all_of(i), "exh_other") + "; }");
    }
    out_.Close();
  }
  if (!combine.shared.empty() && !WarpsPass(combine, offset)) PassThroughShared(combine, offset);
  // Row by row: what all threads have of a row comes before the next one. In the end the first row
  // has it of all.
  for (std::size_t i = 0; i < owned; ++i) {
    if (i % rows == 0) continue;
    const std::string whole = all_of(i / rows * rows);
    out_.Line(ahead_of(i) + " = " + join(whole, ahead_of(i)) + ";");
    out_.Line(whole + " = " + join(whole, all_of(i)) + ";");
  }
  if (code_.splits.of_inst[scan.id.index()] >= 0) LookBack(combine, offset);
  for (std::size_t i = 0; i < owned; ++i) {
    const std::string& carry = columns[i / rows].carry;
    const std::vector<std::string>& steps = columns[i / rows].rows[i % rows];
    const std::string ahead = ahead_of(i);
    const bool is_lost = code_.fault == Fault::kLostCarry;
    out_.Line(ahead + " = " + (is_lost ? carry : join(carry, ahead)) + ";");
    for (std::size_t step = steps.size(); step-- > 0;) {
      const bool is_before = scan.keeps == ir::Keeps::kBefore;
      const std::string until = !is_before ? steps[step] : step > 0 ? steps[step - 1] : "";
      out_.Line(steps[step] + " = " + (until.empty() ? ahead : join(ahead, until)) + ";");
    }
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& carry = columns[i].carry;
    out_.Line(carry + " = " + join(carry, all_of(i * rows)) + ";");
  }
  out_.Close();
}

/// Where there are many slices, each warp goes through some of them for all: slots of one row that
/// follow one another are lanes side by side. False where there are few, or they are no power of
/// two.
bool GpuStatements::WarpsPass(const Combine& combine, std::uint64_t offset) {
  constexpr std::uint32_t kMany = 8;
  const SliceWalk walk = WalkOf(combine);
  const bool fits = combine.warps_look && std::has_single_bit(walk.slices) &&
                    walk.slices >= kMany && walk.slices <= ir::kWarpLanes &&
                    combine.at_once == combine.owned;
  if (!fits) return false;
  const ir::Instruction& scan = code_.function->inst(combine.reduction);
  const ir::Type held = HeldBy(scan.id);
  const std::string element = words_.Register(held), join = CombineFunction(scan);
  const std::string slices = words_.Pointer(element, MemSpace::SHARED);
  const std::string identity = IdentityOf(scan);
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  const std::uint32_t all = combine.owned * combine.num_slots;
  const std::string writers =
      Condition(combine.silent, combine.below >= code_.tree.num_threads ? 0 : combine.below);
  out_.Line(slices + " const exh_slices = " + words_.CastPointer(slices, "exh_shared") + " + " +
            number(offset / ir::BytesOf(held)) + ";");
  out_.Line("const int exh_slot = " + walk.slot + ";");
  const auto slot = [&](std::uint32_t i) { return "exh_slot + " + number(i * combine.num_slots); };
  out_.Line(Meet());
  out_.Open(writers.empty() ? "" : "if (" + writers + ")");
  for (std::uint32_t i = 0; i < combine.owned; ++i) {
    out_.Line("exh_slices[" + slot(i) + "] = exh_all_" + number(i) + ";");
  }
  out_.Close();
  out_.Line(Meet());
  const std::uint32_t whole = (all + ir::kWarpLanes - 1) / ir::kWarpLanes * ir::kWarpLanes;
  out_.Open("for (int s = t; s < " + number(whole) + "; s += " + number(code_.tree.num_threads) +
            ")");
  const std::string is_slot = whole == all ? "" : "s < " + number(all);
  out_.Line(element + " exh_own = " + (is_slot.empty() ? "" : is_slot + " ? ") + "exh_slices[s]" +
            (is_slot.empty() ? "" : " : " + identity) + ", exh_until = " + identity + ";");
  for (std::uint32_t bit = 1; bit < walk.slices; bit *= 2) {
    out_.Line("{ const " + element + " exh_other = exh_swap(exh_own, " + number(bit) +
              "); if ((s & " + number(bit) + ") != 0) exh_until = " + join +
              "(exh_other, exh_until); exh_own = " + join + "(exh_own, exh_other); }");
  }
  out_.Line((is_slot.empty() ? "" : "if (" + is_slot + ") ") + "exh_slices[s] = exh_until;");
  out_.Line("if (" + (is_slot.empty() ? "" : is_slot + " && ") + "s % " + number(walk.slices) +
            " == 0) exh_slices[" + number(all) + " + s / " + number(walk.slices) + "] = exh_own;");
  out_.Close();
  out_.Line(Meet());
  for (std::uint32_t i = 0; i < combine.owned; ++i) {
    const std::string ahead = "exh_ahead_" + number(i);
    out_.Line(ahead + " = " + join + "(exh_slices[" + slot(i) + "], " + ahead + ");");
    out_.Line("exh_all_" + number(i) + " = exh_slices[" + number(all) + " + (" + slot(i) + ") / " +
              number(walk.slices) + "];");
  }
  return true;
}

void GpuStatements::PassThroughShared(const Combine& combine, std::uint64_t offset) {
  const ir::Instruction& scan = code_.function->inst(combine.reduction);
  const ir::Type held = HeldBy(scan.id);
  const std::string element = words_.Register(held);
  const std::string slices = words_.Pointer(element, MemSpace::SHARED);
  const std::string function = CombineFunction(scan), identity = IdentityOf(scan);
  const bool all_write = combine.below >= code_.tree.num_threads;
  const std::string writers = Condition(combine.silent, all_write ? 0 : combine.below);
  const SliceWalk walk = WalkOf(combine);
  out_.Line(slices + " const exh_slices = " + words_.CastPointer(slices, "exh_shared") + " + " +
            std::to_string(offset / ir::BytesOf(held)) + ";");
  out_.Line("const int exh_slot = " + walk.slot + ", exh_first = " + walk.first + ";");
  for (std::uint32_t begin = 0; begin < combine.owned; begin += combine.at_once) {
    const std::uint32_t end = std::min(combine.owned, begin + combine.at_once);
    const auto place = [&](std::uint32_t i, const std::string& index) {
      const std::string base = std::to_string((i - begin) * combine.num_slots);
      return "exh_slices[" + (i == begin ? index : base + " + " + index) + "]";
    };
    out_.Line(Meet());
    out_.Open(writers.empty() ? "" : "if (" + writers + ")");
    for (std::uint32_t i = begin; i < end; ++i) {
      out_.Line(place(i, "exh_slot") + " = exh_all_" + std::to_string(i) + ";");
    }
    out_.Close();
    out_.Line(Meet());
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::string number = std::to_string(i);
      out_.Line(element + " exh_before_" + number + " = " + identity + ";");
      out_.Line("exh_all_" + number + " = " + identity + ";");
    }
    out_.Open(loops::ForText("int", "s", 0, walk.slices));
    out_.Line("const int exh_from = " + walk.from + ";");
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::string number = std::to_string(i);
      const std::string more = place(i, "exh_from");
      // Slots of slices come first, so this is the number of the thread's own.
      out_.Line("if (s == exh_slot - exh_first) exh_before_" + number + " = exh_all_" + number +
                ";");
      out_.Line("exh_all_" + number + " = " + function + "(exh_all_" + number + ", " + more + ");");
    }
    out_.Close();
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::string number = std::to_string(i);
      out_.Line("exh_ahead_" + number + " = " + function + "(exh_before_" + number +
                ", exh_ahead_" + number + ");");
    }
  }
}

}  // namespace exh::kernels::codegen
