// SPDX-License-Identifier: MIT
//
// How the slices that threads have of a reduction become one value, as text: what combine_plan.h
// decides. First all shuffles of all registers, then what is left through shared memory, as many
// registers at a time as it has place for.
#include <algorithm>

#include "kernels/codegen/print/cuda_statements.h"
#include "kernels/codegen/print/op_text.h"

namespace exh::kernels::codegen {

void CudaStatements::CombineSlices(const Combine& combine, std::uint64_t offset) {
  const ir::Instruction& inst = code_.function->inst(combine.reduction);
  const ir::Type held = ir::ComputeTypeOf(inst.type);
  const ir::Type type = ir::ComputeTypeOf(inst.computes);
  const std::vector<std::string> registers = Registers(inst.id);
  const std::string element(RegisterName(held));
  // A function, so that each operand is evaluated once.
  const std::string function = "combine_" + names_.value(inst.id).substr(2);
  combiners_.insert("static __device__ __forceinline__ " + element + " " + function + "(" +
                    element + " a, " + element + " b) { return " +
                    CudaOpText(combine.op, inst.computes,
                               {CastText("a", held, type), CastText("b", held, type)}) +
                    "; }");
  const auto take = [&](const std::string& own, const std::string& more) {
    out_.Line(own + " = " + function + "(" + own + ", " + more + ");");
  };
  out_.Line("// " + inst.name() + ": one of all slices");
  const std::uint32_t lanes = code_.tree.num_threads;
  const std::string all = lanes < 32 ? std::to_string((1u << lanes) - 1) + "u" : "0xffffffffu";
  for (const std::uint32_t bit : combine.shuffles) {
    for (const std::string& own : registers) {
      take(own, "__shfl_xor_sync(" + all + ", " + own + ", " + std::to_string(bit) + ")");
    }
  }
  if (combine.shared.empty()) return;
  const auto digit = [&](const ThreadDigit& d) { return ThreadIndex(d.stride, d.size, lanes); };
  std::string slot, first, silent;
  std::vector<std::uint32_t> steps;  // Of the slices, in slots.
  std::uint32_t step = 1;
  for (const ThreadDigit& d : combine.slots) {
    const std::string text =
        (step == 1 ? digit(d) : "(" + digit(d) + ") * " + std::to_string(step));
    const bool is_slice = std::ranges::any_of(
        combine.shared, [&](const ThreadDigit& slice) { return slice.stride == d.stride; });
    slot += (slot.empty() ? "" : " + ") + text;
    if (is_slice) {
      steps.push_back(step);
    } else {
      first += (first.empty() ? "" : " + ") + text;
    }
    step *= d.size;
  }
  for (const ThreadDigit& d : combine.silent) {
    silent += (silent.empty() ? "" : " && ") + digit(d) + " == 0";
  }
  if (combine.below < lanes) {
    silent += (silent.empty() ? "t < " : " && t < ") + std::to_string(combine.below);
  }
  const std::string start = std::to_string(offset / ir::BytesOf(held));
  out_.Open("");
  out_.Line(element + "* const exh_slices = reinterpret_cast<" + element + "*>(exh_shared) + " +
            start + ";");
  out_.Line("const int exh_slot = " + slot + ", exh_first = " + (first.empty() ? "0" : first) +
            ";");
  // All slices but the first, a digit after the other.
  std::string from = "exh_first";
  std::uint32_t all_slices = 1, before = 1;
  for (const ThreadDigit& d : combine.shared) all_slices *= d.size;
  for (std::size_t i = 0; i < combine.shared.size(); ++i) {
    const std::uint32_t size = combine.shared[i].size;
    std::string index = before == 1 ? "s" : "s / " + std::to_string(before);
    if (before * size != all_slices) index = "(" + index + " % " + std::to_string(size) + ")";
    from += " + " + index + (steps[i] == 1 ? "" : " * " + std::to_string(steps[i]));
    before *= size;
  }
  for (std::size_t begin = 0; begin < registers.size(); begin += combine.at_once) {
    const std::size_t end = std::min<std::size_t>(registers.size(), begin + combine.at_once);
    const auto place = [&](std::size_t i, const std::string& index) {
      const std::string base = std::to_string((i - begin) * combine.num_slots);
      return "exh_slices[" + (i == begin ? index : base + " + " + index) + "]";
    };
    out_.Line("__syncthreads();");
    out_.Open(silent.empty() ? "" : "if (" + silent + ")");
    for (std::size_t i = begin; i < end; ++i) {
      out_.Line(place(i, "exh_slot") + " = " + registers[i] + ";");
    }
    out_.Close();
    out_.Line("__syncthreads();");
    for (std::size_t i = begin; i < end; ++i) {
      out_.Line(registers[i] + " = " + place(i, "exh_first") + ";");
    }
    out_.Open("for (int s = 1; s < " + std::to_string(all_slices) + "; ++s)");
    out_.Line("const int exh_from = " + from + ";");
    for (std::size_t i = begin; i < end; ++i) take(registers[i], place(i, "exh_from"));
    out_.Close();
  }
  out_.Close();
}

}  // namespace exh::kernels::codegen
