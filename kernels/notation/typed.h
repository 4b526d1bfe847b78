// SPDX-License-Identifier: MIT
//
// The types of expressions. Who checks them (check_types.h) and who writes instructions (lower.h)
// ask here which type operands have in common, so that both mean the same.
#pragma once

#include <optional>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// What an expression is.
struct Typed {
  std::optional<ir::Type> type;  ///< Nothing: a literal, which has the type of what it meets.
  ir::Number number;             ///< Of a literal.
  /// Made of bools and small whole numbers alone, `2 * (x < 0)`, `x < 0 ? 1 : 0`: like a bool, it
  /// becomes what it meets.
  bool is_count = false;
};

/// What an operator with these operands is evaluated in (of a choice: those behind the condition).
/// Nothing: they have no type in common. Of literals alone it is f32.
std::optional<ir::Type> CommonOf(const std::vector<Typed>& operands);

/// The value of an operator whose operands have a type in common.
Typed ResultOf(ir::Op op, ir::Type common, const std::vector<Typed>& operands);

/// What is written where a number is.
ir::Number NumberOf(const Expr& expr);
ir::Number NumberOf(const ScalarDecl& scalar);

/// What an operator makes of literals alone, in double precision; sums and products of integers
/// are such, and exact, as far as 64 bits go. and, or, xor and not take them for bools.
ir::Number FoldedLiteral(ir::Op op, const std::vector<ir::Number>& operands);

/// Whether what has a type becomes another one without a cast: floats of any width, integers of any
/// width, bools and counts.
bool Converts(const Typed& from, ir::Type to);

bool IsWhole(double number);

}  // namespace exh::kernels::notation
