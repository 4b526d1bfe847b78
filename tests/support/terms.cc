// SPDX-License-Identifier: MIT
#include "tests/support/terms.h"

#include <stdexcept>

namespace exh::tests {

using runtime::CompareOp;
using runtime::Condition;
using runtime::Term;
using runtime::TermNode;
using Kind = TermNode::Kind;

namespace {

std::string LeafText(const TermNode& node) {
  if (node.kind == Kind::kNumber) return std::to_string(node.number);
  if (node.kind == Kind::kCode) return "code" + std::to_string(node.code);
  std::string text = "c" + std::to_string(node.use.choice) + "(";
  for (std::size_t i = 0; i < node.use.arguments.size(); ++i) {
    text += (i == 0 ? "$" : ", $") + std::to_string(node.use.arguments[i]);
  }
  return text + ")";
}

std::string OperationText(Kind kind, const std::string& a, const std::string& b) {
  const auto infix = [&](const char* op) { return "(" + a + " " + op + " " + b + ")"; };
  switch (kind) {
    case Kind::kAdd:
      return infix("+");
    case Kind::kSubtract:
      return infix("-");
    case Kind::kMultiply:
      return infix("*");
    case Kind::kDivide:
      return infix("/");
    case Kind::kDiv:
      return infix("div");
    case Kind::kMod:
      return infix("%");
    case Kind::kMin:
      return "min(" + a + ", " + b + ")";
    case Kind::kMax:
      return "max(" + a + ", " + b + ")";
    case Kind::kNumber:
    case Kind::kCode:
    case Kind::kChoice:
    case Kind::kNegate:
      break;
  }
  throw std::logic_error("no operation of two operands");
}

}  // namespace

Expr Operation(Kind kind, Expr a, const Expr& b) {
  a.term.insert(a.term.end(), b.term.begin(), b.term.end());
  a.term.emplace_back().kind = kind;
  return a;
}

Expr operator-(Expr a) {
  a.term.emplace_back().kind = Kind::kNegate;
  return a;
}

Expr operator+(Expr a, const Expr& b) {
  return Operation(Kind::kAdd, std::move(a), b);
}

Expr operator-(Expr a, const Expr& b) {
  return Operation(Kind::kSubtract, std::move(a), b);
}

Expr operator*(Expr a, const Expr& b) {
  return Operation(Kind::kMultiply, std::move(a), b);
}

Expr operator/(Expr a, const Expr& b) {
  return Operation(Kind::kDivide, std::move(a), b);
}

Expr operator%(Expr a, const Expr& b) {
  return Operation(Kind::kMod, std::move(a), b);
}

Expr Div(Expr a, const Expr& b) {
  return Operation(Kind::kDiv, std::move(a), b);
}

Expr Min(Expr a, const Expr& b) {
  return Operation(Kind::kMin, std::move(a), b);
}

Expr Max(Expr a, const Expr& b) {
  return Operation(Kind::kMax, std::move(a), b);
}

Condition CompareTerms(Expr a, CompareOp op, Expr b) {
  static constexpr const char* kOperators[] = {" < ", " > ", " <= ", " >= ", " == ", " != "};
  Condition condition;
  condition.kind = Condition::Kind::kTerms;
  condition.op = op;
  condition.text = TermText(a.term) + kOperators[static_cast<int>(op)] + TermText(b.term);
  condition.left = std::move(a.term);
  condition.right = std::move(b.term);
  return condition;
}

Condition operator<(Expr a, Expr b) {
  return CompareTerms(std::move(a), CompareOp::kLt, std::move(b));
}

Condition operator>(Expr a, Expr b) {
  return CompareTerms(std::move(a), CompareOp::kGt, std::move(b));
}

Condition operator<=(Expr a, Expr b) {
  return CompareTerms(std::move(a), CompareOp::kLe, std::move(b));
}

Condition operator>=(Expr a, Expr b) {
  return CompareTerms(std::move(a), CompareOp::kGe, std::move(b));
}

Condition operator==(Expr a, Expr b) {
  return CompareTerms(std::move(a), CompareOp::kEq, std::move(b));
}

Condition operator!=(Expr a, Expr b) {
  return CompareTerms(std::move(a), CompareOp::kNe, std::move(b));
}

Condition Not(Condition condition) {
  condition.negated = !condition.negated;
  return condition;
}

std::string TermText(const Term& term) {
  std::vector<std::string> stack;
  for (const TermNode& node : term) {
    if (node.kind < Kind::kNegate) {
      stack.push_back(LeafText(node));
    } else if (node.kind == Kind::kNegate) {
      stack.back() = "-" + stack.back();
    } else {
      const std::string right = stack.back();
      stack.pop_back();
      stack.back() = OperationText(node.kind, stack.back(), right);
    }
  }
  return stack.back();
}

}  // namespace exh::tests
