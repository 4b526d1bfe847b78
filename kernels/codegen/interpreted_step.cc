// SPDX-License-Identifier: MIT
#include "kernels/codegen/interpreted_step.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "kernels/ir/ops.h"

namespace exh::kernels::codegen {

double RoundedUnlessWide(ir::Type type, double value, bool from_float) {
  if (type == ir::Type::kF64 || type == ir::Type::kF32) return value;
  return std::isnan(value) && !from_float ? value : ir::Rounded(type, value);
}

std::int64_t NumParts(const ValueStorage& storage) {
  return std::int64_t{storage.parts.lanes} * storage.parts.num_copies();
}

RegisterSlot MakeSlot(const ValueStorage& storage, const std::vector<KeySource>& index) {
  RegisterSlot slot;
  std::int64_t stride = NumParts(storage);
  for (std::size_t i = storage.key.size(); i-- > 0;) {
    if (index[i].every) {
      std::vector<std::int64_t> copies;
      for (const std::int64_t copy : slot.copies) {
        for (std::uint32_t k = 0; k < storage.key[i].size; ++k) {
          copies.push_back(copy + k * stride);
        }
      }
      slot.copies = std::move(copies);
    } else if (index[i].dim_class >= 0) {
      slot.offset.Add(index[i].dim_class, stride);
    }
    stride *= storage.key[i].size;
  }
  return slot;
}

InterpretedStep PrepareStep(const LoweredCode& code, const ir::Instruction& inst,
                            const std::vector<double>& scalars) {
  const ir::Function& function = *code.function;
  const InstValues& plan = code.values.insts[inst.id.index()];
  InterpretedStep step;
  step.op = inst.op;
  step.computes = EvaluatedIn(inst);
  step.type = inst.op == ir::Op::kStore       ? function.array(inst.array).type
              : inst.op == ir::Op::kTempStore ? function.block(inst.block).type
                                              : inst.type;
  step.is_reduction = inst.is_reduction();
  step.guard = plan.guard;
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    const ir::Operand& operand = inst.operands[i];
    StepInput input;
    const std::optional<ir::Type> from = function.TypeOf(operand);
    input.is_float = !from || ir::IsFloat(*from);
    // The condition of a kSelect is compared in the type it has; what only copies rounds once.
    const bool is_condition = inst.op == ir::Op::kSelect && i == 0;
    const bool is_copy = inst.op == ir::Op::kConst || inst.has_side_effect() || inst.block.valid();
    input.converts = !is_condition && !is_copy && from != step.computes;
    if (operand.kind == ir::Operand::Kind::kLiteral) input.constant = operand.literal;
    if (operand.kind == ir::Operand::Kind::kScalar) {
      for (std::size_t s = 0; s < function.scalars.size(); ++s) {
        if (function.scalars[s].name != operand.scalar) continue;
        input.constant = RoundedUnlessWide(function.scalars[s].type, scalars[s], true);
      }
    }
    if (operand.kind == ir::Operand::Kind::kComm) {
      input.producer = plan.reads[i].producer;
      input.runs = Runs(*code.schedule, operand);
      input.lowest = ir::IdentityOf(ir::Op::kMax, function.inst(input.producer).type);
      input.slot = MakeSlot(code.values.storage[input.producer.index()], plan.reads[i].index);
    }
    step.inputs.push_back(std::move(input));
  }
  const ValueStorage& storage = code.values.storage[inst.id.index()];
  std::vector<KeySource> own;
  for (const KeyDim& key : storage.key) {
    own.push_back({key.dim_class, false});
    step.points *= key.size;
  }
  step.own = MakeSlot(storage, own);
  // The lanes of a copy lie side by side.
  step.parts = static_cast<std::size_t>(NumParts(storage));
  if (!storage.parts.empty()) step.own.offset.Add(storage.parts.vector_class, 1);
  std::int64_t stride = storage.parts.lanes;
  for (const KeyDim& copy : storage.parts.copies) {
    step.own.offset.Add(copy.dim_class, stride);
    stride *= copy.size;
  }
  step.points *= step.parts;
  for (const std::size_t place : storage.scanned) own[place].dim_class = -1;
  step.carry = MakeSlot(storage, own);
  for (const InitWrite& init : plan.inits) {
    step.inits.push_back({init.reduction,
                          MakeSlot(code.values.storage[init.reduction.index()], init.index),
                          init.slices, init.splits, init.first_lane_only});
  }
  if (inst.array.valid()) step.memory = inst.array.index();
  for (std::size_t temp = 0; temp < code.memory.temps.size(); ++temp) {
    if (inst.block.valid() && code.memory.temps[temp].block == inst.block) step.memory = temp;
  }
  return step;
}

std::int64_t StrideOf(const ValueStorage& storage, std::size_t place) {
  std::int64_t stride = NumParts(storage);
  for (std::size_t i = place + 1; i < storage.key.size(); ++i) stride *= storage.key[i].size;
  return stride;
}

double Combined(const InterpretedStep& reduction, double own, double more) {
  const bool is_float = ir::IsFloat(reduction.computes);
  if (!is_float && (std::isnan(own) || std::isnan(more))) {
    return std::numeric_limits<double>::quiet_NaN();  // Unwritten.
  }
  const double both = ir::Evaluate(ir::CombinedBy(reduction.op), reduction.computes, own, more, 0);
  return RoundedUnlessWide(reduction.type, both, is_float);
}

}  // namespace exh::kernels::codegen
