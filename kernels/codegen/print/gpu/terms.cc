// SPDX-License-Identifier: MIT
//
// Terms exp(s - m) of a maximum m (kernels/ir/flow/running.cc) as text. A GPU has powers of two by
// one instruction, 2^x, with an error of about 2^-22 of the value. With L the logarithm of e to
// base 2, exp(s - m) is 2^(s L - m L): one multiply-add and that instruction, for m L is the same
// for a row.
//
// What this errs: s L - m L is off by its own rounding, and by that of m L, which is the same for
// all terms that see this m. A term of size 2^-t is off by about t 2^-24 of itself, the more the
// smaller it is beside the largest term, 1. Where all that is written are narrow floats, which are
// rounded to 2^-11 or less, this is nothing. Elsewhere terms are computed as any exponential is.
#include <algorithm>

#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/codegen/print/gpu/statements.h"

namespace exh::kernels::codegen {
namespace {

constexpr const char* kLogarithmOfE = "1.44269504088896341f";

}  // namespace

/// Does the instruction take a maximum away, so that nothing but exponentials read it?
bool GpuStatements::IsDifference(const ir::Instruction& inst) const {
  const ir::Function& f = *code_.function;
  const bool is_one = inst.op == ir::Op::kSub && inst.computes == ir::Type::kF32 &&
                      inst.operands[1].kind == ir::Operand::Kind::kComm &&
                      f.comm(inst.operands[1].comm).running.has_value();
  if (!is_one || words_.dialect != ir::Dialect::kCuda) return false;
  return std::ranges::all_of(f.insts, [&](const ir::Instruction& other) {
    return other.op != ir::Op::kStore || ir::IsFloatBits(f.element_type(other));
  });
}

bool GpuStatements::IsPowerOfTwo(const ir::Instruction& inst) const {
  if (inst.op != ir::Op::kExp || inst.operands[0].kind != ir::Operand::Kind::kComm) return false;
  return IsDifference(code_.function->inst(code_.function->comm(inst.operands[0].comm).producer));
}

std::string GpuStatements::Term(const ir::Instruction& inst) {
  powers_of_two_ = true;
  const std::string first = ReadAs(inst, 0, ir::Type::kF32).text;
  if (inst.op == ir::Op::kExp) return "exh_power_of_two(" + first + ")";
  return "fmaf(" + first + ", " + kLogarithmOfE + ", -(" + ReadAs(inst, 1, ir::Type::kF32).text +
         " * " + kLogarithmOfE + "))";
}

// Without a branch.
std::string GpuStatements::Correction(ir::InstId maximum, const std::string& before,
                                      const std::string& now) const {
  const ir::Function& f = *code_.function;
  const bool has_terms = std::ranges::any_of(f.comms, [&](const ir::Communication& comm) {
    return comm.producer == maximum && comm.running && IsDifference(f.inst(comm.consumer));
  });
  if (!has_terms) return Statements::Correction(maximum, before, now);
  powers_of_two_ = true;
  return "exh_power_of_two(" + before + " == " + now + " ? 0.0f : (" + before + " - " + now +
         ") * " + kLogarithmOfE + ")";
}

// In a loop that ends with what a mask hides (memory/skipped_tiles.h) most tiles have nothing
// hidden. A branch that all threads take alike spares them the comparisons.
std::string GpuStatements::WholeName(const SkippedTiles& tiles) const {
  return "whole_" + names_.index(code_.tree.node(tiles.loop).dim_class).substr(2);
}

void GpuStatements::DeclareWhole(const SkippedTiles& tiles) {
  std::string all;
  for (const Affine& bound : tiles.whole) all = And(all, IndexText(bound) + " >= 0");
  out_.Line("const bool " + WholeName(tiles) + " = " + all + ";");
}

std::string GpuStatements::WholeOf(ir::InstId choice) const {
  for (const SkippedTiles& tiles : code_.skipped) {
    if (std::ranges::find(tiles.masks, choice) != tiles.masks.end()) return WholeName(tiles);
  }
  return "";
}

std::string PowerFunction() {
  return "static __device__ __forceinline__ float exh_power_of_two(float x) {\n#ifdef EXH_SHIM\n"
         "  return __builtin_exp2f(x);\n#else\n  float power;\n"
         "  asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(power) : \"f\"(x));\n  return power;\n"
         "#endif\n}";
}

}  // namespace exh::kernels::codegen
