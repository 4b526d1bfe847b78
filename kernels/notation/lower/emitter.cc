// SPDX-License-Identifier: MIT
#include "kernels/notation/lower/emitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/ir/ops.h"

namespace exh::kernels::notation {

using ir::Op;
using ir::Type;

Emitter::Emitter(const Kernel& kernel, const ResolvedKernel& resolution, ir::Builder& builder,
                 dsl::DiagnosticSink& sink)
    : kernel_(kernel),
      resolution_(resolution),
      builder_(builder),
      sink_(sink),
      numbers_(resolution.sizes, sink),
      tiles_(kernel, resolution, builder.is_paper()),
      axes_(static_cast<std::size_t>(resolution.num_axes)) {}

ir::AxisRef Emitter::Axis(const Index* index) {
  auto& axis = axes_[static_cast<std::size_t>(index->axis)];
  if (axis) return *axis;
  std::string name = index->name;
  for (int other = 2; axis_names_.count(name) != 0; ++other) {
    name = fmt::format("{}_{}", index->name, other);
  }
  axis_names_.insert(name);
  axis = builder_.Axis(name, static_cast<std::uint32_t>(*index->extent),
                       tiles_.Of(*index, numbers_, reductions_));
  return *axis;
}
std::vector<ir::AxisRef> Emitter::Axes(const Scope& scope) {
  std::vector<ir::AxisRef> axes;
  for (const Index* index : scope) axes.push_back(Axis(index));
  return axes;
}

std::int64_t Emitter::WayAlong(const Index* index, std::int64_t stride,
                               std::int64_t& offset) const {
  const auto way = runs_down_.find(index->axis);
  if (way == runs_down_.end() || !way->second) return stride;
  offset += stride * (*index->extent - 1);
  return -stride;
}

std::string Emitter::Unique(const std::string& name) {
  std::string unique = name;
  for (int other = 2; !inst_names_.insert(unique).second; ++other) {
    unique = fmt::format("{}_{}", name, other);
  }
  return unique;
}

TextOperand Emitter::Emit(const std::string& name, Op op, const Scope& axes,
                          const std::vector<TextOperand>& operands, std::optional<Type> type) {
  const OperandKey key = subscripts_ > 0 ? KeyOf(op, type, depth_, operands) : OperandKey();
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  TextOperand result;
  result.is_number = false;
  result.axes = axes;
  std::vector<ir::Input> inputs;
  for (const TextOperand& operand : operands) {
    inputs.push_back(Connect(operand, axes));
    result.has_sum |= operand.has_sum;
  }
  result.value = builder_.Compute(Unique(name), op, Axes(axes), inputs, type);
  result.typed.type = builder_.TypeOf(result.value);
  if (!key.empty()) known_.emplace(key, result);
  return result;
}

TextOperand Emitter::Cast(const TextOperand& operand, Type type, const std::string& name) {
  return Emit(name, Op::kConst, operand.axes, {operand}, type);
}
TextOperand Emitter::As(TextOperand operand, Type type, const std::string& name) {
  if (!operand.is_constant() && operand.typed.type != type) return Cast(operand, type, name);
  if (operand.is_constant()) operand.typed.number = ir::Rounded(type, operand.typed.number);
  operand.typed.type = type;
  operand.typed.is_count = false;
  return operand;
}
TextOperand Emitter::Widening(const TextOperand& operand, Type type) {
  const bool widens = operand.is_constant() || ir::CommonType(*operand.typed.type, type) == type;
  return widens ? operand : Cast(operand, type);
}

/// Casts what would not be evaluated in `common` by itself.
void Emitter::Agree(Op op, Type common, std::vector<TextOperand>& operands) {
  std::optional<Type> natural;
  TextOperand* first = nullptr;
  for (std::size_t i = op == Op::kSelect ? 1 : 0; i < operands.size(); ++i) {
    TextOperand& operand = operands[i];
    if (operand.is_constant()) continue;
    operand = Widening(operand, common);
    const Type type = *operand.typed.type;
    natural = natural ? ir::CommonType(*natural, type).value_or(common) : type;
    if (first == nullptr) first = &operand;
  }
  const Type is = natural.value_or(Type::kF32);  // What a choice of literals is computed in.
  if (ir::ComputeTypeOf(is) == ir::ComputeTypeOf(common) &&
      ir::ResultType(op, is) == ir::ResultType(op, common)) {
    return;
  }
  TextOperand& one = first != nullptr ? *first : operands.back();
  one = Cast(one, common);
}

TextOperand Emitter::Apply(Op op, const std::vector<TextOperand>& operands, const Scope& scope,
                           std::string name) {
  if (std::ranges::all_of(operands, &TextOperand::is_constant)) return Folded(op, operands);
  if (name.empty()) name = NameOf(op, operands);
  const std::vector<Typed> types = TypesOf(op, operands);
  const Type common = Common(types);
  std::vector<TextOperand> agreed = operands;
  Agree(op, common, agreed);
  TextOperand result = Emit(name, op, Union(agreed, scope), agreed);
  result.typed.is_count = ResultOf(op, common, types).is_count;
  return result;
}
std::string Emitter::NameOf(Op op, const std::vector<TextOperand>& operands) const {
  const auto is_number = [](const TextOperand& operand) { return operand.is_number; };
  const auto is_zero = [](const TextOperand& o) { return o.is_constant() && o.typed.number == 0; };
  if (op == Op::kMul && std::ranges::any_of(operands, is_number)) return "scale";
  if (op == Op::kMax && std::ranges::any_of(operands, is_zero)) return "relu";
  if (op == Op::kMad && reductions_ > 0) return "add";
  return std::string(ir::InfoOf(op).word);
}

TextOperand Emitter::IndexValue(const AffineIndex& value) {
  const OperandKey key = subscripts_ > 0 ? KeyOf(value, depth_) : OperandKey();
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  TextOperand operand;
  operand.is_number = false;
  operand.is_index = true;
  std::int64_t offset = value.offset;
  ir::Strides strides;
  for (const auto& [index, factor] : value.factors) {
    operand.axes.push_back(index);
    strides.emplace_back(Axis(index), WayAlong(index, factor, offset));
  }
  operand.value = builder_.Index(Unique("index"), strides, offset);
  operand.typed.type = builder_.TypeOf(operand.value);
  if (!key.empty()) known_.emplace(key, operand);
  return operand;
}

TextOperand Emitter::Remainder(const TextOperand& a, const TextOperand& b, const Scope& scope) {
  const TextOperand quotient = Apply(Op::kDiv, {a, b}, scope);
  return Apply(Op::kSub, {a, Apply(Op::kMul, {quotient, b}, scope)}, scope);
}
TextOperand Emitter::Not(const TextOperand& operand, const Scope& scope) {
  return Apply(Op::kNot, {operand}, scope);
}

}  // namespace exh::kernels::notation
