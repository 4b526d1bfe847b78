// SPDX-License-Identifier: MIT
#include "kernels/derived/sources/op_text.h"

#include "base/check.h"
#include "kernels/derived/expression.h"
#include "kernels/ir/text/op_functions.h"

namespace exh::kernels::derived {

using Binding = Piece::Binding;

std::string NumberText(const ir::Number& number, Dialect dialect, ir::Type type) {
  return ir::NumberText(number, type, dialect);
}

std::string NumberText(double value, Dialect dialect, ir::Type type) {
  return NumberText(ir::Number(value), dialect, type);
}

Piece DoubleText(ir::Op op, const std::vector<Piece>& operands, ir::Type computes) {
  ir::HelperFunctions none(Dialect::kDouble);
  return OpText(op, operands, none, computes);
}

std::string AccumulateDouble(ir::Op op, const std::string& sum, const std::vector<Piece>& operands,
                             ir::Type computes) {
  ir::HelperFunctions none(Dialect::kDouble);
  return AccumulateText(op, sum, operands, none, computes);
}

bool RepeatsOperands(ir::Op op) {
  return op == ir::Op::kMin || op == ir::Op::kMax;
}

// ---- types ----

Piece CastText(const Piece& value, ir::Type from, ir::Type to) {
  if (ir::ComputeTypeOf(from) == ir::ComputeTypeOf(to)) return value;
  return {ir::CastTo(RegisterName(to), value.text)};
}

std::string LoadText(const std::string& element, ir::Type type, ir::HelperFunctions& in) {
  return ir::IsFloatBits(type) ? ir::FromElementText(element, type, in) : element;
}

std::string StoreText(const Piece& value, ir::Type from, ir::Type to, ir::HelperFunctions& in) {
  const bool is_compared = to == ir::Type::kBool && from != to;
  const std::string text = is_compared ? Within(value, Binding::kSum) : value.text;
  return ir::ToElementText(text, from, to, in);
}

Piece RoundText(const Piece& value, ir::Type from, ir::Type to, ir::HelperFunctions& in) {
  if (KeepsAll(from, to) || !ir::InfoOf(to).is_narrow()) return CastText(value, from, to);
  return {ir::FromElementText(StoreText(value, from, to, in), to, in)};
}

Piece WholeText(const Piece& value, ir::Type to) {
  if (to == ir::Type::kBool) {
    return {Within(value, Binding::kSum) + " != 0 ? 1.0 : 0.0", Binding::kChoice};
  }
  const ir::TypeInfo& info = ir::InfoOf(to);
  const std::string name = std::string("std::") + (info.is_signed ? "int" : "uint") +
                           std::to_string(8 * info.bytes) + "_t";
  const std::string whole = "std::int64_t(" + value.text + ")";
  return {"double(" + (to == ir::Type::kI64 ? whole : name + "(" + whole + ")") + ")"};
}

// ---- accesses ----

std::string IndexText(const std::vector<std::pair<std::string, std::int64_t>>& indices,
                      std::int64_t offset) {
  std::string place;
  const auto add = [&](bool is_negative, const std::string& term) {
    if (place.empty()) {
      place = is_negative ? "-" + term : term;
    } else {
      place += (is_negative ? " - " : " + ") + term;
    }
  };
  for (const auto& [index, stride] : indices) {
    const std::int64_t step = stride < 0 ? -stride : stride;
    if (step != 0) add(stride < 0, step == 1 ? index : index + " * " + std::to_string(step));
  }
  if (offset != 0) add(offset < 0, std::to_string(offset < 0 ? -offset : offset));
  return place.empty() ? "0" : place;
}

}  // namespace exh::kernels::derived
