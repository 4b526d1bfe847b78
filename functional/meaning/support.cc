// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "functional/meaning/elaborator.h"

namespace exh::functional {

using dsl::Diag;
using dsl::SourceRange;

std::optional<bool> IsCertain(const Terms& terms, const ProgramRequirement& requirement) {
  const Term &a = requirement.left, &b = requirement.right;
  const std::string& op = requirement.op;
  if (op == "%") {
    const auto left = a.AsNumber(), right = b.AsNumber();
    if (right && *right == 0) return false;
    if (right && (*right == 1 || *right == -1)) return true;
    if (left && right) return *left % *right == 0;
    const auto quotient = Poly::ExactQuotient(a.poly, b.poly);
    if (quotient && quotient->is_linear()) return true;
    return std::nullopt;
  }
  const auto either = [](bool yes, bool no) {
    return yes || no ? std::optional(yes) : std::nullopt;
  };
  if (op == "<=") return either(terms.IsAtMost(a, b), terms.IsAbove(a, b));
  if (op == ">=") return either(terms.IsAtMost(b, a), terms.IsAbove(b, a));
  if (op == "<") return either(terms.IsAbove(b, a), terms.IsAtMost(b, a));
  if (op == ">") return either(terms.IsAbove(a, b), terms.IsAtMost(a, b));
  const bool differ = terms.IsAbove(a, b) || terms.IsAbove(b, a);
  return op == "==" ? either(terms.IsEqual(a, b), differ) : either(differ, terms.IsEqual(a, b));
}

ElaboratedValue Elaborator::Fail(Diag diag, SourceRange range, const std::string& message) {
  dsl::Diagnostic& reported = sink_.Report(diag, range, message);
  // Where the text is used that the mistake is in.
  if (!calls_.empty()) reported.WithNote(calls_.back(), "in what is applied here");
  return {};
}

ElaboratedValue Elaborator::NumberValue(Term term, SourceRange range) {
  if (term.is_bad()) return Fail(Diag::kFunNumber, range, "the number is too large or too long");
  ElaboratedValue value;
  value.kind = ElaboratedValue::Kind::kNumber;
  value.number = std::move(term);
  return value;
}

ElaboratedValue Elaborator::DataValue(NodePtr node) const {
  ElaboratedValue value;
  value.kind = ElaboratedValue::Kind::kData;
  value.data = std::move(node);
  return value;
}

std::string Elaborator::TextOf(const ElaboratedValue& value) const {
  switch (value.kind) {
    case ElaboratedValue::Kind::kNumber:
      return "the number " + terms_.Text(value.number);
    case ElaboratedValue::Kind::kData:
      return TypeText(*value.data->type);
    case ElaboratedValue::Kind::kFunction:
      return "a function";
    case ElaboratedValue::Kind::kTuple:
    case ElaboratedValue::Kind::kNone:
      break;
  }
  return "a tuple";
}

NodePtr Elaborator::DataOf(const ElaboratedValue& value, SourceRange range) {
  switch (value.kind) {
    case ElaboratedValue::Kind::kData:
      return value.data;
    case ElaboratedValue::Kind::kNumber: {
      auto node = std::make_shared<Node>();
      node->kind = Node::Kind::kConstant;
      DataType type;
      type.scalar = "float";
      node->type = std::make_shared<const DataType>(std::move(type));
      node->spaces.space = MemorySpace::kPrivate;
      node->range = range;
      node->number = value.number;
      return node;
    }
    case ElaboratedValue::Kind::kTuple: {
      auto node = std::make_shared<Node>();
      node->kind = Node::Kind::kTuple;
      node->range = range;
      DataType type;
      type.kind = DataType::Kind::kTuple;
      for (const ElaboratedValue& item : value.items) {
        NodePtr part = DataOf(item, range);
        if (part == nullptr) return nullptr;
        type.items.push_back(part->type);
        node->spaces.items.push_back(part->spaces);
        node->writes |= part->writes;
        node->inputs.push_back(std::move(part));
      }
      node->type = std::make_shared<const DataType>(std::move(type));
      return node;
    }
    case ElaboratedValue::Kind::kFunction:
      Fail(Diag::kFunType, range, "a value must stand here, not a function");
      return nullptr;
    case ElaboratedValue::Kind::kNone:
      break;
  }
  return nullptr;
}

NodePtr Elaborator::ArrayOf(const ElaboratedValue& value, const Expr& call) {
  NodePtr node = DataOf(value, call.head);
  if (node == nullptr || node->type->kind == DataType::Kind::kArray) return node;
  Fail(Diag::kFunType, call.head,
       fmt::format("'{}' takes an array, not {}", word_, TypeText(*node->type)));
  return nullptr;
}

std::optional<Term> Elaborator::TermOf(const ElaboratedValue& value, const Expr& call,
                                       const char* what) {
  if (value.kind == ElaboratedValue::Kind::kNumber) return value.number;
  if (value.kind != ElaboratedValue::Kind::kNone) {
    Fail(Diag::kFunArguments, call.head,
         fmt::format("{} of '{}' is a number over sizes and parameters, not {}", what, word_,
                     TextOf(value)));
  }
  return std::nullopt;
}

NodePtr Elaborator::ItemOf(const NodePtr& tuple, int item) const {
  const auto i = static_cast<std::size_t>(item);
  if (tuple->kind == Node::Kind::kTuple && !tuple->writes) return tuple->inputs[i];
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kItem;
  node->item = item;
  node->type = tuple->type->items[i];
  node->spaces = tuple->spaces.items.empty() ? tuple->spaces : tuple->spaces.items[i];
  node->writes = tuple->writes;
  node->inputs = {tuple};
  node->range = tuple->range;
  return node;
}

NodePtr Elaborator::View(const char* name, std::vector<NodePtr> inputs, TypePtr type, Spaces spaces,
                         const Expr& call) const {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kView;
  node->name = name;
  node->type = std::move(type);
  node->spaces = std::move(spaces);
  node->range = call.range;
  for (const NodePtr& input : inputs) node->writes |= input->writes;
  node->inputs = std::move(inputs);
  return node;
}

TypePtr Elaborator::ArrayType(TypePtr element, Term length) const {
  DataType type;
  type.kind = DataType::Kind::kArray;
  type.items.push_back(std::move(element));
  type.length = std::move(length);
  return std::make_shared<const DataType>(std::move(type));
}

bool Elaborator::AreSame(const Term& a, const Term& b, const std::string& what, SourceRange range) {
  ProgramRequirement same;
  same.label = "lengths";
  same.left = a;
  same.op = "==";
  same.right = b;
  same.why = what;
  same.range = range;
  return Require(std::move(same), Diag::kFunLength);
}

bool Elaborator::AreSame(const DataType& a, const DataType& b, const char* what,
                         SourceRange range) {
  const bool fits = a.kind == b.kind && a.scalar == b.scalar && a.items.size() == b.items.size();
  if (!fits) {
    Fail(Diag::kFunType, range, fmt::format("{}: {} and {}", what, TypeText(a), TypeText(b)));
    return false;
  }
  const bool has_length = a.kind == DataType::Kind::kArray || a.kind == DataType::Kind::kVector;
  if (has_length && !AreSame(a.length, b.length, what, range)) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!AreSame(*a.items[i], *b.items[i], what, range)) return false;
  }
  return true;
}

bool Elaborator::Require(ProgramRequirement requirement, Diag diag) {
  if (requirement.left.is_bad() || requirement.right.is_bad()) {
    Fail(Diag::kFunNumber, requirement.range, "the number is too large or too long");
    return false;
  }
  const auto certain = IsCertain(terms_, requirement);
  if (certain && *certain) return true;
  if (certain) {
    const std::string left = terms_.Text(requirement.left), right = terms_.Text(requirement.right);
    Fail(diag, requirement.range,
         requirement.op == "%"
             ? fmt::format("{}: {} is no multiple of {}", requirement.why, left, right)
             : fmt::format("{}: {} {} {} cannot hold", requirement.why, left, requirement.op,
                           right));
    return false;
  }
  requirement.call = calls_.empty() ? requirement.range : calls_.front();
  program_->requirements.push_back(std::move(requirement));
  return true;
}

bool Elaborator::AtLeast(const Term& a, std::int64_t least, const char* what, const Expr& call) {
  ProgramRequirement requirement;
  requirement.label = word_;
  requirement.left = a;
  requirement.op = ">=";
  requirement.right = Terms::Number(least);
  requirement.why = fmt::format("{} of '{}'", what, word_);
  requirement.range = call.head;
  return Require(std::move(requirement), Diag::kFunNever);
}

void Elaborator::SetAll(Spaces& spaces, MemorySpace space) {
  spaces.space = space;
  for (Spaces& item : spaces.items) SetAll(item, space);
}

bool Elaborator::Retarget(const NodePtr& node, MemorySpace space) {
  if (!node->writes) return false;
  switch (node->kind) {
    case Node::Kind::kUser:
      SetAll(node->spaces, space);
      return true;
    case Node::Kind::kMap:
    case Node::Kind::kLet: {
      const bool any = Retarget(node->body, space);
      if (any) node->spaces = node->body->spaces;
      return any;
    }
    case Node::Kind::kView:
    case Node::Kind::kTuple: {
      bool any = false;
      for (std::size_t i = 0; i < node->inputs.size(); ++i) {
        if (!Retarget(node->inputs[i], space)) continue;
        any = true;
        // Of tuples and zips each component lies where its input does.
        (node->inputs.size() > 1 ? node->spaces.items[i] : node->spaces) = node->inputs[i]->spaces;
      }
      return any;
    }
    case Node::Kind::kItem:
    case Node::Kind::kReduce:  // It lies where its initial value does.
    case Node::Kind::kInput:
    case Node::Kind::kConstant:
    case Node::Kind::kVariable:
      break;
  }
  return false;
}

}  // namespace exh::functional
