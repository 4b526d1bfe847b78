// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/spelling.h"
#include "functional/meaning/built_ins.h"
#include "functional/meaning/elaborator.h"

namespace exh::functional {

using dsl::Diag;
using dsl::SourceRange;

namespace {

/// Expressions that are looked at within each other, functions unfolded.
constexpr int kMostDeep = 400;
/// Applications of functions of the text in a program, and nodes of maps.
constexpr int kMostApplied = 20'000;

}  // namespace

ElaboratedValue Elaborator::Look(const Expr& expr, const ScopePtr& scope) {
  if (depth_ >= kMostDeep) {
    return Fail(Diag::kFunTooDeep, expr.head,
                "functions are applied within each other too often: does one apply itself?");
  }
  ++depth_;
  ElaboratedValue value;
  switch (expr.kind) {
    case Expr::Kind::kNumber:
      value = NumberValue(Terms::Number(expr.number), expr.range);
      break;
    case Expr::Kind::kReal: {
      ElaboratedValue zero;
      zero.kind = ElaboratedValue::Kind::kNumber;
      value = DataValue(DataOf(zero, expr.range));  // A constant like any other.
      value.data->number.reset();
      value.data->real = std::strtod(expr.text.c_str(), nullptr);
      break;
    }
    case Expr::Kind::kName:
      value = LookUp(expr, scope);
      break;
    case Expr::Kind::kTuple:
      value.kind = ElaboratedValue::Kind::kTuple;
      for (const ExprPtr& item : expr.items) {
        value.items.push_back(Look(*item, scope));
        if (value.items.back().kind == ElaboratedValue::Kind::kNone)
          value.kind = ElaboratedValue::Kind::kNone;
      }
      break;
    case Expr::Kind::kLambda: {
      auto lambda = std::make_shared<ElaboratedFunction>();
      lambda->patterns = &expr.patterns;
      lambda->body = expr.items[0].get();
      lambda->scope = scope;
      lambda->statement = in_def_;
      value.kind = ElaboratedValue::Kind::kFunction;
      value.function = std::move(lambda);
      break;
    }
    case Expr::Kind::kLet:
      value = LookAtLet(expr, scope);
      break;
    case Expr::Kind::kCall:
      value = LookAtCall(expr, scope);
      break;
    case Expr::Kind::kBinary: {
      const ElaboratedValue left = Look(*expr.items[0], scope), right = Look(*expr.items[1], scope);
      value = Calculate(expr.text, left, right, expr);
      break;
    }
    case Expr::Kind::kNegate: {
      const ElaboratedValue operand = Look(*expr.items[0], scope);
      if (operand.kind == ElaboratedValue::Kind::kData &&
          operand.data->kind == Node::Kind::kConstant && !operand.data->number &&
          operand.data->type->kind == DataType::Kind::kScalar) {
        value = DataValue(std::make_shared<Node>(*operand.data));  // -0.5 is a number, too.
        value.data->real = -operand.data->real;
        break;
      }
      value = Calculate("-", NumberValue(Terms::Number(0), expr.range), operand, expr);
      break;
    }
  }
  --depth_;
  return value;
}

ElaboratedValue Elaborator::LookUp(const Expr& name, const ScopePtr& scope) {
  for (const Scope* at = scope.get(); at != nullptr; at = at->outer.get()) {
    if (at->name == name.text) return at->value;
  }
  const auto found = globals_.find(name.text);
  if (found != globals_.end() && found->second.kind != Global::Kind::kLimit) {
    const Global& global = found->second;
    if (in_def_ == global.statement || (in_def_ < 0 && global.statement == now_)) {
      return Fail(Diag::kFunRecursion, name.range,
                  fmt::format("'{}' uses itself: nothing in a program does; map and reduce repeat",
                              name.text));
    }
    const int reach = in_def_ >= 0 ? in_def_ : now_;
    if (global.statement > reach) {
      return Fail(Diag::kFunUnknownName, name.range,
                  fmt::format("'{}' is stated below: state it before it is used", name.text));
    }
    if (global.kind != Global::Kind::kDef) return global.value;
    const Statement& def = file_.statements[static_cast<std::size_t>(global.statement)];
    if (!def.has_parameters) {
      const int before = std::exchange(in_def_, global.statement);
      calls_.push_back(name.range);
      ElaboratedValue value = Look(*def.value, nullptr);
      calls_.pop_back();
      in_def_ = before;
      return value;
    }
    auto function = std::make_shared<ElaboratedFunction>();
    function->name = def.name.text;
    function->patterns = &def.parameters;
    function->body = def.value.get();
    function->statement = global.statement;
    ElaboratedValue value;
    value.kind = ElaboratedValue::Kind::kFunction;
    value.function = std::move(function);
    return value;
  }
  if (IsBuiltIn(name.text)) {
    auto function = std::make_shared<ElaboratedFunction>();
    function->kind = ElaboratedFunction::Kind::kBuiltIn;
    function->name = name.text;
    function->label = name.label;
    ElaboratedValue value;
    value.kind = ElaboratedValue::Kind::kFunction;
    value.function = std::move(function);
    return value;
  }
  std::vector<std::string> legal = BuiltIns();
  for (const auto& [text, global] : globals_) legal.push_back(text);
  for (const Scope* at = scope.get(); at != nullptr; at = at->outer.get()) {
    legal.push_back(at->name);
  }
  return Fail(Diag::kFunUnknownName, name.range,
              fmt::format("nothing is called '{}'{}", name.text, DidYouMean(name.text, legal)));
}

bool Elaborator::Bind(const Pattern& pattern, const ElaboratedValue& value, ScopePtr& scope,
                      std::vector<NodePtr>& lets) {
  if (value.kind == ElaboratedValue::Kind::kNone) return false;
  if (!pattern.is_tuple()) {
    ElaboratedValue bound = value;
    if (value.kind == ElaboratedValue::Kind::kTuple) {
      // Its components are bound once, so that it may be used many times.
      for (ElaboratedValue& item : bound.items) {
        ScopePtr ignored;
        if (!Bind(pattern, item, ignored, lets)) return false;
        item = ignored->value;
      }
    } else if (value.kind == ElaboratedValue::Kind::kData && value.data->writes) {
      auto variable = std::make_shared<Node>();
      variable->kind = Node::Kind::kVariable;
      variable->name = pattern.name;
      variable->type = value.data->type;
      variable->spaces = value.data->spaces;
      variable->inputs = {value.data};  // Until Within() makes a let of it.
      variable->range = pattern.range;
      lets.push_back(variable);
      bound = DataValue(variable);
    }
    scope = std::make_shared<const Scope>(Scope{pattern.name, std::move(bound), scope});
    return true;
  }
  const std::size_t wanted = pattern.items.size();
  std::vector<ElaboratedValue> items = value.items;
  if (value.kind == ElaboratedValue::Kind::kData &&
      value.data->type->kind == DataType::Kind::kTuple) {
    NodePtr tuple = value.data;
    if (tuple->writes && tuple->kind != Node::Kind::kTuple) {
      ScopePtr ignored;
      Pattern whole;
      whole.name = "tuple";
      whole.range = pattern.range;
      if (!Bind(whole, value, ignored, lets)) return false;
      tuple = ignored->value.data;
    }
    for (std::size_t i = 0; i < tuple->type->items.size(); ++i) {
      items.push_back(DataValue(tuple->kind == Node::Kind::kTuple
                                    ? tuple->inputs[i]
                                    : ItemOf(tuple, static_cast<int>(i))));
    }
  }
  if (items.size() != wanted) {
    Fail(Diag::kFunType, pattern.range,
         fmt::format("a tuple of {} must come here, not {}", wanted,
                     items.empty() ? TextOf(value) : fmt::format("one of {}", items.size())));
    return false;
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    if (!Bind(pattern.items[i], items[i], scope, lets)) return false;
  }
  return true;
}

ElaboratedValue Elaborator::Within(ElaboratedValue body, const std::vector<NodePtr>& lets,
                                   SourceRange range) {
  if (lets.empty() || body.kind == ElaboratedValue::Kind::kNone) return body;
  NodePtr node = DataOf(body, range);
  if (node == nullptr) return {};
  for (std::size_t i = lets.size(); i-- > 0;) {
    auto let = std::make_shared<Node>();
    let->kind = Node::Kind::kLet;
    let->inputs = std::move(lets[i]->inputs);
    lets[i]->inputs.clear();
    let->variables = {lets[i]};
    let->body = node;
    let->type = node->type;
    let->spaces = node->spaces;
    let->writes = true;
    let->range = range;
    node = std::move(let);
  }
  return DataValue(node);
}

ElaboratedValue Elaborator::LookAtLet(const Expr& let, const ScopePtr& scope) {
  const ElaboratedValue value = Look(*let.items[0], scope);
  ScopePtr inner = scope;
  std::vector<NodePtr> lets;
  if (!Bind(let.patterns[0], value, inner, lets)) return {};
  return Within(Look(*let.items[1], inner), lets, let.range);
}

ElaboratedValue Elaborator::LookAtCall(const Expr& call, const ScopePtr& scope) {
  const ElaboratedValue function = Look(*call.items[0], scope);
  std::vector<ElaboratedValue> arguments;
  bool is_whole = function.kind != ElaboratedValue::Kind::kNone;
  for (std::size_t i = 1; i < call.items.size(); ++i) {
    arguments.push_back(Look(*call.items[i], scope));
    is_whole &= arguments.back().kind != ElaboratedValue::Kind::kNone;
  }
  if (!is_whole) return {};
  if (function.kind != ElaboratedValue::Kind::kFunction) {
    return Fail(Diag::kFunType, call.items[0]->range,
                fmt::format("a function must stand before '(', not {}", TextOf(function)));
  }
  return Apply(function.function, std::move(arguments), call);
}

ElaboratedValue Elaborator::Apply(const FunctionPtr& function,
                                  std::vector<ElaboratedValue> arguments, const Expr& call) {
  switch (function->kind) {
    case ElaboratedFunction::Kind::kLambda:
      return ApplyLambda(*function, std::move(arguments), call);
    case ElaboratedFunction::Kind::kBuiltIn:
      return ApplyBuiltIn(*function, arguments, call);
    case ElaboratedFunction::Kind::kUser:
      return ApplyUser(*function, arguments, call);
    case ElaboratedFunction::Kind::kTo: {
      std::vector<ElaboratedValue> result = {Apply(function->inner, std::move(arguments), call)};
      if (result[0].kind == ElaboratedValue::Kind::kNone) return {};
      return ApplyTo(function->space, result, call);
    }
  }
  return {};
}

ElaboratedValue Elaborator::ApplyLambda(const ElaboratedFunction& lambda,
                                        std::vector<ElaboratedValue> arguments, const Expr& call) {
  if (++applied_ > kMostApplied) {
    if (!std::exchange(too_large_, true)) {
      return Fail(
          Diag::kFunTooLarge, call.head,
          fmt::format("functions are applied more than {} times in this program", kMostApplied));
    }
    return {};
  }
  const std::vector<Pattern>& patterns = *lambda.patterns;
  const bool takes_tuple = arguments.size() == 1 && patterns.size() > 1;
  if (!takes_tuple && arguments.size() != patterns.size()) {
    return Fail(Diag::kFunArguments, call.head,
                fmt::format("{} takes {} argument{}, not {}",
                            lambda.name.empty() ? "this function" : "'" + lambda.name + "'",
                            patterns.size(), patterns.size() == 1 ? "" : "s", arguments.size()));
  }
  ScopePtr scope = lambda.scope;
  std::vector<NodePtr> lets;
  bool is_bound = true;
  if (takes_tuple) {
    Pattern tuple;
    tuple.items = patterns;
    tuple.range = {patterns.front().range.file, patterns.front().range.begin,
                   patterns.back().range.end};
    is_bound = Bind(tuple, arguments[0], scope, lets);
  } else {
    for (std::size_t i = 0; i < patterns.size() && is_bound; ++i) {
      is_bound = Bind(patterns[i], arguments[i], scope, lets);
    }
  }
  if (!is_bound) return {};
  const int before = std::exchange(in_def_, lambda.statement);
  // Of what has no name, the text around it says where it is used.
  if (!lambda.name.empty()) calls_.push_back(call.head);
  ElaboratedValue value = Look(*lambda.body, scope);
  if (!lambda.name.empty()) calls_.pop_back();
  in_def_ = before;
  return Within(std::move(value), lets, call.range);
}

ElaboratedValue Elaborator::Calculate(const std::string& op, const ElaboratedValue& a,
                                      const ElaboratedValue& b, const Expr& expr) {
  if (a.kind == ElaboratedValue::Kind::kNone || b.kind == ElaboratedValue::Kind::kNone) return {};
  if (a.kind != ElaboratedValue::Kind::kNumber || b.kind != ElaboratedValue::Kind::kNumber) {
    if (op == "div" || op == "%") {
      return Fail(Diag::kFunType, expr.head,
                  fmt::format("'{}' is for numbers over sizes and parameters", op));
    }
    return User(op, {a, b}, expr);
  }
  const Term &left = a.number, &right = b.number;
  if (op == "+") return NumberValue(terms_.Add(left, right), expr.range);
  if (op == "-") return NumberValue(terms_.Subtract(left, right), expr.range);
  if (op == "*") return NumberValue(terms_.Multiply(left, right), expr.range);
  if (right.AsNumber() == 0) {
    return Fail(Diag::kFunNumber, expr.head, "a division by 0");
  }
  if (op == "div") {
    return NumberValue(terms_.Apply(TermFactor::Op::kDiv, left, right), expr.range);
  }
  if (op == "%") return NumberValue(terms_.Apply(TermFactor::Op::kMod, left, right), expr.range);
  ProgramRequirement whole;
  whole.label = "divides";
  whole.left = left;
  whole.op = "%";
  whole.right = right;
  whole.why = "'/' leaves nothing over ('div' rounds down)";
  whole.range = expr.range;
  if (!Require(std::move(whole), Diag::kFunDivides)) return {};
  return NumberValue(terms_.Divide(left, right), expr.range);
}

}  // namespace exh::functional
