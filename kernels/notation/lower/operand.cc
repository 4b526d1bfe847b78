// SPDX-License-Identifier: MIT
#include "kernels/notation/lower/operand.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace exh::kernels::notation {

using ir::Op;

TextOperand OperandOf(const ir::Number& number) {
  TextOperand operand;
  operand.typed.number = number;
  return operand;
}

bool Has(const Scope& axes, const Index* index) {
  return std::ranges::any_of(axes, [&](const Index* own) { return own->axis == index->axis; });
}

Scope Union(const std::vector<TextOperand>& operands, const Scope& scope) {
  Scope all;
  for (const Index* index : scope) {
    const bool has = std::ranges::any_of(
        operands, [&](const TextOperand& operand) { return Has(operand.axes, index); });
    if (has) all.push_back(index);
  }
  return all;
}

OperandKey KeyOf(ir::Op op, std::optional<ir::Type> type, int depth,
                 const std::vector<TextOperand>& operands) {
  OperandKey key = {static_cast<int>(op), type ? static_cast<int>(*type) : -1, depth};
  for (const TextOperand& operand : operands) {
    if (!operand.scalar.empty()) return {};
    const std::int64_t what = operand.is_number
                                  ? std::bit_cast<std::int64_t>(double{operand.typed.number})
                                  : std::int64_t{operand.value.inst.value};
    key.insert(key.end(), {operand.is_number ? 1 : 0, what});
  }
  return key;
}

ReductionNest NestOf(const std::vector<TextOperand>& inputs, const Scope& own, const Scope& scope) {
  ReductionNest nest;
  const Scope moving = Union(inputs, scope);
  for (const Index* index : scope) {
    const bool is_own = Has(own, index);
    if (!is_own && !Has(moving, index)) continue;
    nest.axes.push_back(index);
    if (!is_own) nest.kept.push_back(index);
  }
  return nest;
}

ir::Input Connect(const TextOperand& operand, const Scope& reader) {
  if (operand.is_number) {
    return operand.scalar.empty() ? ir::Literal(operand.typed.number)
                                  : ir::ScalarArg(operand.scalar);
  }
  const bool may_stage =
      !operand.is_index && (operand.is_load || operand.axes.size() < reader.size());
  return may_stage ? ir::MayStage(operand.value) : ir::InRegisters(operand.value);
}

std::vector<Typed> TypesOf(Op op, const std::vector<TextOperand>& operands) {
  std::vector<Typed> types;
  for (std::size_t i = op == Op::kSelect ? 1 : 0; i < operands.size(); ++i) {
    types.push_back(operands[i].typed);
  }
  return types;
}

ir::Type Common(const std::vector<Typed>& types) {
  const auto common = CommonOf(types);
  EXH_CHECK(common.has_value());
  return *common;
}

TextOperand Folded(Op op, const std::vector<TextOperand>& operands) {
  std::vector<ir::Number> numbers;
  for (const TextOperand& operand : operands) numbers.push_back(operand.typed.number);
  const auto has_type = [](const TextOperand& operand) { return operand.typed.type.has_value(); };
  if (std::ranges::none_of(operands, has_type)) return OperandOf(FoldedLiteral(op, numbers));
  const std::vector<Typed> types = TypesOf(op, operands);
  const ir::Type common = Common(types);
  numbers.resize(3);
  TextOperand result;
  result.typed = ResultOf(op, common, types);
  result.typed.number =
      ir::IsFloat(common) || op == Op::kSelect
          ? ir::Number(ir::Evaluate(op, common, numbers[0], numbers[1], numbers[2]))
          : ir::Number(ir::EvaluateWhole(op, common, numbers[0].whole(), numbers[1].whole(),
                                         numbers[2].whole()));
  return result;
}

}  // namespace exh::kernels::notation
