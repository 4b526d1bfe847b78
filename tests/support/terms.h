// SPDX-License-Identifier: MIT
//
// Integer terms and comparisons of them as a test writes them: `Use(size, {0}) * 2 <= Use(room,
// {1})`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/space.h"

namespace exh::tests {

/// A term under construction. The comparisons below make conditions of two of them.
struct Expr {
  runtime::Term term;

  Expr(std::int64_t number) {  // NOLINT: `Use(size, {0}) + 1`.
    term.emplace_back().number = number;
  }
  explicit Expr(runtime::TermNode node) { term.push_back(std::move(node)); }
};

/// A number where nothing beside it is an Expr.
inline Expr Num(std::int64_t number) {
  return {number};
}

/// An integer decision or a full counter.
inline Expr Use(int choice, std::vector<int> arguments) {
  runtime::TermNode node;
  node.kind = runtime::TermNode::Kind::kChoice;
  node.use = {choice, std::move(arguments)};
  return Expr(std::move(node));
}

/// What the host says: the integer of the whole scope or, once, a number (external).
inline Expr CodeOf(runtime::CodeId code, bool external = false) {
  runtime::TermNode node;
  node.kind = runtime::TermNode::Kind::kCode;
  node.code = code;
  node.external = external;
  return Expr(std::move(node));
}

/// `kind` of two operands.
Expr Operation(runtime::TermNode::Kind kind, Expr a, const Expr& b);

Expr operator-(Expr a);
Expr operator+(Expr a, const Expr& b);
Expr operator-(Expr a, const Expr& b);
Expr operator*(Expr a, const Expr& b);
Expr operator/(Expr a, const Expr& b);  ///< Exact.
Expr operator%(Expr a, const Expr& b);
Expr Div(Expr a, const Expr& b);  ///< Rounds down.
Expr Min(Expr a, const Expr& b);
Expr Max(Expr a, const Expr& b);

runtime::Condition CompareTerms(Expr a, runtime::CompareOp op, Expr b);
runtime::Condition operator<(Expr a, Expr b);
runtime::Condition operator>(Expr a, Expr b);
runtime::Condition operator<=(Expr a, Expr b);
runtime::Condition operator>=(Expr a, Expr b);
runtime::Condition operator==(Expr a, Expr b);
runtime::Condition operator!=(Expr a, Expr b);
/// The comparison does not hold: not the same as the opposite one where something is divided by 0.
runtime::Condition Not(runtime::Condition condition);

/// "c0(0, 1) + 3": choices and variables by number, operations in parentheses.
std::string TermText(const runtime::Term& term);

}  // namespace exh::tests
