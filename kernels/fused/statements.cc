// SPDX-License-Identifier: MIT
#include "kernels/fused/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/check.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::fused {
namespace {

using ir::Op;

/// How tightly a text holds together.
enum class Binding : std::uint8_t { kComparison, kSum, kProduct, kAtom };

struct Text {
  std::string text;
  Binding binding = Binding::kAtom;
};

struct Sign {
  Op op;
  std::string_view sign;
  Binding binding;
};
constexpr Sign kSigns[] = {
    {Op::kAdd, " + ", Binding::kSum},          {Op::kSub, " - ", Binding::kSum},
    {Op::kMul, " * ", Binding::kProduct},      {Op::kDiv, " / ", Binding::kProduct},
    {Op::kLess, " < ", Binding::kComparison},  {Op::kEqual, " == ", Binding::kComparison},
    {Op::kAnd, " and ", Binding::kComparison}, {Op::kOr, " or ", Binding::kComparison},
};

std::string Within(const Text& text, Binding binding) {
  return text.binding < binding ? "(" + text.text + ")" : text.text;
}

Text RowText(const ir::Index& row) {
  const std::size_t terms = row.terms().size() + (row.constant() != 0 ? 1 : 0);
  return {row.Text(), terms > 1 ? Binding::kSum : Binding::kProduct};
}

std::string AccessText(const Access& access, const StatementList& list) {
  std::string text = list.tensor(access.tensor).name + "[";
  for (std::size_t i = 0; i < access.rows.size(); ++i) {
    text += (i == 0 ? "" : ", ") + RowText(access.rows[i]).text;
  }
  text += "]";
  return access.is_guarded ? fmt::format("({} or {} outside)", text, access.otherwise) : text;
}

class Printer {
 public:
  Printer(const Statement& statement, const StatementList& list)
      : statement_(statement), list_(list) {}

  Text Of(int index) const {
    const Step& step = statement_.steps[static_cast<std::size_t>(index)];
    switch (step.what) {
      case Step::What::kRead:
        return {AccessText(statement_.reads[static_cast<std::size_t>(step.read)], list_)};
      case Step::What::kNumber:
        return {step.type == ir::Type::kF32 ? fmt::format("{}", static_cast<float>(step.number))
                                            : fmt::format("{}", step.number),
                step.number < 0 ? Binding::kProduct : Binding::kAtom};
      case Step::What::kIndex:
        return RowText(step.index);
      case Step::What::kCompute:
        break;
    }
    const Text computed = Computed(step);
    const bool is_rounded = step.op != Op::kConst && !ir::InfoOf(step.op).compares() &&
                            step.type != ir::Type::kBool && ir::InfoOf(step.type).is_narrow();
    if (!is_rounded) return computed;
    return {fmt::format("{}({})", ir::WordOf(step.type), computed.text)};
  }

 private:
  Text Computed(const Step& step) const {
    for (const auto& [op, sign, binding] : kSigns) {
      if (op != step.op) continue;
      const auto tighter = static_cast<Binding>(static_cast<int>(binding) + 1);
      // Sums and products go on to the left; comparisons do not.
      const Binding left = binding == Binding::kComparison ? tighter : binding;
      return {Within(Of(step.operands[0]), left) + std::string(sign) +
                  Within(Of(step.operands[1]), tighter),
              binding};
    }
    if (step.op == Op::kNeg)
      return {"-" + Within(Of(step.operands[0]), Binding::kAtom), Binding::kProduct};
    if (step.op == Op::kNot)
      return {"not " + Within(Of(step.operands[0]), Binding::kAtom), Binding::kComparison};
    std::string operands;
    for (const int operand : step.operands) {
      operands += (operands.empty() ? "" : ", ") + Of(operand).text;
    }
    const std::string_view name =
        step.op == Op::kConst ? ir::WordOf(step.type) : ir::InfoOf(step.op).word;
    return {fmt::format("{}({})", name, operands)};
  }

  const Statement& statement_;
  const StatementList& list_;
};

std::string_view ReductionWord(Op op) {
  switch (op) {
    case Op::kAdd:
      return "sum";
    case Op::kMul:
      return "prod";
    case Op::kMin:
      return "min";
    default:
      EXH_CHECK(op == Op::kMax);
      return "max";
  }
}

}  // namespace

bool Access::is_affine() const {
  return std::ranges::all_of(rows, &ir::Index::IsAffine);
}

ir::Index Statement::Iterated(std::size_t place) const {
  const Iterator& of = iterators[place];
  return ir::Index(ir::IndexVariable::Of(static_cast<int>(place), of.name, of.extent));
}

std::int64_t StatementTensor::elements() const {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}

std::string TextOf(const Statement& statement, const StatementList& list) {
  std::string reduced, domain;
  for (const Iterator& iterator : statement.iterators) {
    if (iterator.is_reduction) reduced += (reduced.empty() ? "" : ", ") + iterator.name;
    domain += fmt::format("{}{} < {}", domain.empty() ? "" : ", ", iterator.name, iterator.extent);
  }
  const Text value = Printer(statement, list).Of(static_cast<int>(statement.steps.size()) - 1);
  std::string text = value.text;
  if (statement.reduces) {
    text = fmt::format("{}({}) {}", ReductionWord(*statement.reduces), reduced,
                       Within(value, Binding::kProduct));
    const ir::Type type = list.tensor(statement.write.tensor).type;
    if (type != ir::Type::kBool && ir::InfoOf(type).is_narrow()) {
      text = fmt::format("{}({})", ir::WordOf(type), text);
    }
  }
  return fmt::format("{} = {}{}{}", AccessText(statement.write, list), text,
                     domain.empty() ? "" : "    ", domain);
}

std::string TextOf(const StatementList& list) {
  std::string text;
  for (const Statement& statement : list.statements) text += TextOf(statement, list) + "\n";
  return text;
}

}  // namespace exh::kernels::fused
