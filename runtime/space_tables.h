// SPDX-License-Identifier: MIT
//
// Short names with which generated code fills a Space; they mirror the words of the `.exh`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/enum_domain.h"
#include "runtime/space.h"

namespace exh::runtime::tables {

/// `choice(arguments) is values`.
template <typename E>
Condition Is(ChoiceUse lhs, EnumDomain<E> values) {
  Condition condition;
  condition.kind = Condition::Kind::kIs;
  condition.lhs = std::move(lhs);
  condition.values = values.bits();
  return condition;
}

/// `choice(arguments) is not values`.
template <typename E>
Condition IsNot(ChoiceUse lhs, EnumDomain<E> values) {
  return Is<E>(std::move(lhs), EnumDomain<E>::AllBut(values));
}

/// `lhs op rhs`, the same choice on both sides.
inline Condition Compare(ChoiceUse lhs, CompareOp op, ChoiceUse rhs) {
  Condition condition;
  condition.kind = Condition::Kind::kCompare;
  condition.lhs = std::move(lhs);
  condition.op = op;
  condition.rhs = std::move(rhs);
  return condition;
}

/// `lhs op "code"`.
inline Condition CompareCode(ChoiceUse lhs, CompareOp op, CodeId code) {
  Condition condition;
  condition.kind = Condition::Kind::kCompareCode;
  condition.lhs = std::move(lhs);
  condition.op = op;
  condition.code = code;
  return condition;
}

// ---- Terms, in the order of TermNode: operands first.

/// `4`.
inline TermNode Number(std::int64_t number) {
  TermNode node;
  node.number = number;
  return node;
}

/// `"code"` in a term.
inline TermNode CodeNode(CodeId code) {
  TermNode node;
  node.kind = TermNode::Kind::kCode;
  node.code = code;
  return node;
}

/// An `extern constant` in a term, asked for variables of the scope.
inline TermNode ConstantNode(CodeId code, std::vector<int> arguments = {}) {
  TermNode node = CodeNode(code);
  node.external = true;
  node.use.arguments = std::move(arguments);
  return node;
}

/// `choice($a)` in a term.
inline TermNode Use(ChoiceUse use) {
  TermNode node;
  node.kind = TermNode::Kind::kChoice;
  node.use = std::move(use);
  return node;
}

/// An operation on the one or two operands before it.
inline TermNode Op(TermNode::Kind kind) {
  TermNode node;
  node.kind = kind;
  return node;
}

/// `left op right`, terms. `text` is what the `.exh` says.
inline Condition Terms(Term left, CompareOp op, Term right, std::string text) {
  Condition condition;
  condition.kind = Condition::Kind::kTerms;
  condition.op = op;
  condition.left = std::move(left);
  condition.right = std::move(right);
  condition.text = std::move(text);
  return condition;
}

/// `"code"`.
inline Condition Code(CodeId code) {
  Condition condition;
  condition.kind = Condition::Kind::kCode;
  condition.code = code;
  return condition;
}

/// `lhs op 4`, `lhs is 2 | 4`.
inline Condition CompareNumbers(ChoiceUse lhs, CompareOp op, std::vector<std::uint32_t> numbers) {
  Condition condition = CompareCode(std::move(lhs), op, -1);
  condition.numbers = std::move(numbers);
  return condition;
}

/// `lhs op constant($a)`, an `extern constant` asked for variables of the scope.
inline Condition CompareConstant(ChoiceUse lhs, CompareOp op, CodeId code,
                                 std::vector<int> arguments = {}) {
  Condition condition = CompareCode(std::move(lhs), op, code);
  condition.rhs.arguments = std::move(arguments);
  condition.external = true;
  return condition;
}

/// A comparison with code that must yield one number.
inline Condition Single(Condition condition) {
  condition.single = true;
  return condition;
}

/// `predicate($a, $b)`, an `extern predicate` asked for variables of the scope.
inline Condition Predicate(CodeId code, std::vector<int> arguments) {
  Condition condition = Code(code);
  condition.external = true;
  condition.lhs.arguments = std::move(arguments);
  return condition;
}

/// `predicate($a, $b)`, an `extern dynamic predicate … of set`.
inline Condition Present(CodeId code, std::vector<int> arguments, SetRef set) {
  Condition condition = Predicate(code, std::move(arguments));
  condition.kind = Condition::Kind::kPresent;
  condition.set = set;
  return condition;
}

/// `forall $a < $b`: the object of variable `before` has the smaller number.
inline Condition Ascending(int before, int after) {
  Condition condition;
  condition.kind = Condition::Kind::kAscending;
  condition.lhs.arguments = {before, after};
  return condition;
}

/// `not` before what is no test of a decision.
inline Condition Not(Condition condition) {
  condition.negated = !condition.negated;
  return condition;
}

/// `true` or `false`.
inline Condition Constant(bool value) {
  Condition condition;
  condition.kind = Condition::Kind::kConstant;
  condition.constant = value;
  return condition;
}

/// Starts a requirement; its clauses follow.
inline int AddRequirement(Space& space, std::string label, Position position) {
  space.requirements.push_back({std::move(label), std::move(position)});
  return static_cast<int>(space.requirements.size()) - 1;
}

/// One disjunction of the requirement.
inline void AddClause(Space& space, int requirement, const std::vector<Variable>& variables,
                      std::vector<Condition> conditions) {
  space.clauses.push_back({requirement, variables, std::move(conditions)});
}

}  // namespace exh::runtime::tables
