// SPDX-License-Identifier: MIT
//
// Instructions as the interpreter runs them: every name resolved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/codegen/memory/affine.h"
#include "kernels/codegen/plan/lowered_code.h"

namespace exh::kernels::codegen {

/// Position in a value's storage: mixed radix over its key, first key dim outermost.
struct RegisterSlot {
  Affine offset;
  /// Inits only: the offsets of the key dims of which every index is written.
  std::vector<std::int64_t> copies = {0};
};

struct StepInput {
  ir::InstId producer;  ///< Not valid: `constant`.
  double constant = 0;
  bool is_float = true;  ///< What it reads.
  bool runs = false;     ///< A maximum that runs: what is infinitely low is read as 0.
  double lowest = 0;
  bool converts = false;  ///< It becomes what the operator is evaluated in.
  RegisterSlot slot;
};

/// An instruction with every name resolved.
struct InterpretedStep {
  ir::Op op = ir::Op::kConst;
  ir::Type computes = ir::Type::kF32;  ///< EvaluatedIn().
  ir::Type type = ir::Type::kF32;      ///< Of its value, or of what a store writes to.
  bool is_reduction = false;
  std::size_t points = 1;  ///< Registers of a thread.
  std::vector<StepInput> inputs;
  RegisterSlot own;
  RegisterSlot carry;     ///< Of a scan: of what it carries.
  std::size_t parts = 1;  ///< Of each value, that lanes have: the first of them is the value.
  struct Init {
    ir::InstId reduction;
    RegisterSlot slot;
    std::vector<int> slices, splits;
    bool first_lane_only = false;
  };
  std::vector<Init> inits;
  std::size_t memory = 0;  ///< Array number, or temporary number.
  ThreadGuard guard;
};

/// Registers of a thread for each point of a value: one, or those of the parts that lanes have.
std::int64_t NumParts(const ValueStorage& storage);
/// How far the registers of a value along a key dim are from each other.
std::int64_t StrideOf(const ValueStorage& storage, std::size_t place);
/// Of a value whose lanes have parts, the first one.
RegisterSlot MakeSlot(const ValueStorage& storage, const std::vector<KeySource>& index);
/// `scalars`: by their number.
InterpretedStep PrepareStep(const LoweredCode& code, const ir::Instruction& inst,
                            const std::vector<double>& scalars);

/// Numbers here are doubles: f32 and f64 stay as exact as those. A NaN that is no float was never
/// written, and stays one, so that it shows.
double RoundedUnlessWide(ir::Type type, double value, bool from_float);

/// Two partial results of a reduction as one.
double Combined(const InterpretedStep& reduction, double own, double more);

}  // namespace exh::kernels::codegen
