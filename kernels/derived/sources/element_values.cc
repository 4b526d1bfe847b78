// SPDX-License-Identifier: MIT
#include "kernels/derived/sources/element_values.h"

#include <algorithm>
#include <utility>

namespace exh::kernels::derived {
namespace {

using Place = LoopNest::Place;
using Form = ElementValue::Form;

std::vector<Piece> Pieces(const std::vector<ElementValue>& values) {
  std::vector<Piece> pieces;
  for (const ElementValue& value : values) pieces.push_back(value.piece);
  return pieces;
}

/// f'(a)^2 of v = f(a).
std::string SquaredSlope(ir::Op op, const std::string& a, const std::string& v) {
  switch (op) {
    case ir::Op::kSqrt:
      return "0.25 / " + a;
    case ir::Op::kRsqrt:
      return "0.25 * " + Squared(v) + " / (" + Squared(a) + ")";
    case ir::Op::kExp:
      return Squared(v);
    case ir::Op::kLog:
      return "1.0 / (" + Squared(a) + ")";
    case ir::Op::kErf:  // 4 / pi * exp(-2 a^2), of which this is never below: no call is needed.
      return "1.2732395447351628 * (1 - " + Squared(v) + ")";
    default:  // tanh
      return "(1 - " + Squared(v) + ") * (1 - " + Squared(v) + ")";
  }
}

}  // namespace

bool Chooses(const Expression::Node& reduction) {
  return reduction.op == ir::Op::kMin || reduction.op == ir::Op::kMax;
}

std::string Squared(const std::string& name) {
  return name + " * " + name;
}

ElementValues::ElementValues(const ir::Function& function)
    : e_(ExpressionOf(function)),
      nest_(LoopNestOf(e_, false)),
      roundings_(RoundingsOf(e_)),
      names_(function, e_, {"i", "SumTolerance"}),
      variables_(e_.nodes.size()),
      scopes_(1) {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const int node = static_cast<int>(i);
    const std::string& name = names_.node(node);
    Variables& own = variables_[i];
    const bool is_kept = nest_.place(node).kind == Place::Kind::kArray;
    own.value = is_kept ? names_.Unique(name + "_element") : name;
    if (is_kept) own.kept_errors = names_.Unique(name + "_errors");
    if (!e_.node(node).accumulates()) continue;
    own.squares = names_.Unique(own.value + "_squares");
    own.errors = names_.Unique(own.value + "_errors");
  }
}

void ElementValues::OpenScope(const std::string& text) {
  Open(text);
  scopes_.emplace_back();
}

void ElementValues::CloseScope() {
  scopes_.pop_back();
  Close();
}

Roundings ElementValues::TermOf(const Expression::Node& reduction) const {
  const auto of = [&](const Expression::Input& input) {
    return input.is_number() ? Roundings{} : roundings(input.node);
  };
  if (reduction.op != ir::Op::kMad) return of(reduction.inputs[0]);
  const Roundings a = of(reduction.inputs[0]), b = of(reduction.inputs[1]);
  const double squares = SquaresOfOne(reduction);
  return {a.count + b.count + (squares == 0 ? 0 : 1), squares, !a.is_exact() || !b.is_exact()};
}

bool ElementValues::BeginsWithZero(const Expression::Node& reduction) const {
  const Expression::Node& init = e_.node(reduction.init);
  return init.op == ir::Op::kConst && init.inputs[0].is_number() && init.inputs[0].scalar.empty() &&
         init.inputs[0].number == 0;
}

double ElementValues::AdditionsOf(const Expression::Node& reduction) const {
  return AdditionSquares(SquaresOfOne(reduction), e_.Steps(reduction),
                         Expression::AddsShort(reduction));
}

double ElementValues::SquaresOf(const Expression::Node& reduction) const {
  return AdditionsOf(reduction) + TermOf(reduction).own;
}

bool ElementValues::HasErrors(int index) const {
  const Expression::Node& node = e_.node(index);
  const Roundings term = TermOf(node), init = roundings(node.init);
  if (Chooses(node)) return !term.is_exact() || !init.is_exact();
  if (SquaresOf(node) == 0) return false;
  return term.has_others || init.has_others || (!BeginsWithZero(node) && term.own != init.own);
}

/// How many steps a scan has taken where its value is kept.
std::string ElementValues::StepsText(const Expression::Node& scan) const {
  const std::int64_t own = scan.keeps == ir::Keeps::kEach ? 1 : 0;
  return "double(" + AffineText(e_, names_, {own, {{scan.along, 1}}}) + ")";
}

ElementValue ElementValues::SumOf(int node) const {
  const Expression::Node& reduction = e_.node(node);
  const Variables& own = variables(node);
  ElementValue value{{own.value}, {}, {}, Form::kName};
  const double squares = Chooses(reduction) ? 0 : SquaresOf(reduction);
  if (squares > 0 && reduction.is_scan()) {
    const double own_of_terms = TermOf(reduction).own, one = SquaresOfOne(reduction);
    if (own_of_terms > 0) value.errors.Add(own_of_terms, own.squares);
    if (one > 0) {
      value.errors.Add(
          one, StepsText(reduction) + " * (" + own.squares + " + " + Squared(own.value) + ")");
    }
  } else if (squares > 0) {
    value.errors.Add(squares, own.squares);
    value.errors.Add(AdditionsOf(reduction), Squared(own.value));
  }
  if (HasErrors(node)) value.errors.products.emplace_back(1, own.errors);
  return value;
}

ElementValue ElementValues::ValueOf(const Expression::Input& input, int block) {
  if (!input.is_number()) return ValueOf(input.node, block);
  if (!input.scalar.empty()) {
    return {{"double(" + names_.scalar(input.scalar) + ")"}, {}, {}, Form::kShort};
  }
  return {{NumberText(input.number, Dialect::kDouble)}, {}, input.number};
}

ElementValue ElementValues::ValueOf(int node, int block) {
  const Place& place = nest_.place(node);
  if (place.kind == Place::Kind::kSum) return SumOf(node);
  const std::string& name = names_.node(node);
  if (place.kind == Place::Kind::kArray) {
    const std::string point = "[" + PointText(e_, names_, place.axes) + "]";
    ElementValue value{{name + point}, {}, {}};
    if (!roundings(node).is_exact()) {
      value.errors.products.emplace_back(1, variables(node).kept_errors + point);
    }
    return value;
  }
  for (const auto& scope : scopes_) {
    const auto known = scope.find(node);
    if (known != scope.end()) return known->second;
  }
  ElementValue value = Computed(node, block);
  NameLongErrors(node, value);
  if (value.piece.text != name) {
    if (!nest_.IsNamed(node, block)) return value;
    Line("const double " + name + " = " + value.piece.text + ";");
    value.piece = {name};
    value.form = Form::kName;
  }
  scopes_.back()[node] = value;
  return value;
}

ElementValue ElementValues::Computed(int node, int block) {
  const Expression::Node& of = e_.node(node);
  if (of.op == ir::Op::kLoad) return {Loaded(of, block), {}, {}};
  if (of.op == ir::Op::kIndex) {
    const Form form = IsAtom(e_, of) ? Form::kShort : Form::kOther;
    return {{"double(" + AffineText(e_, names_, of) + ")"}, {}, {}, form};
  }
  std::vector<ElementValue> inputs;
  for (const Expression::Input& input : of.inputs) inputs.push_back(ValueOf(input, block));
  const auto text = [&] { return DoubleText(of.op, Pieces(inputs), of.computes); };
  ErrorSquares errors;
  switch (of.op) {
    case ir::Op::kConst:
      if (!e_.IsCopy(of)) inputs[0] = {WholeText(inputs[0].piece, of.type), {}, {}};
      return inputs[0];
    case ir::Op::kMul:
      errors = ProductErrors(inputs[0], inputs[1]);
      return Rounded(node, text(), std::move(errors));
    case ir::Op::kMad: {
      if (SquaresOfOne(of) == 0) return {text(), {}, {}};
      errors = ProductErrors(inputs[0], inputs[1]);
      ElementValue product{DoubleText(ir::Op::kMul, {inputs[0].piece, inputs[1].piece}), {}, {}};
      Name(product, names_.node(node) + "_product");
      errors.Add(SquaresOfOne(of), Squared(product.piece.text));
      errors.Add(inputs[2].errors);
      return Rounded(node, DoubleText(ir::Op::kAdd, {product.piece, inputs[2].piece}),
                     std::move(errors));
    }
    case ir::Op::kMin:
    case ir::Op::kMax:
      errors = LargerErrors(node, inputs);
      return {text(), std::move(errors), {}};
    case ir::Op::kNeg:
    case ir::Op::kAbs:
      return {text(), inputs[0].errors, {}};
    case ir::Op::kLess:
    case ir::Op::kEqual:
    case ir::Op::kAnd:
    case ir::Op::kOr:
    case ir::Op::kXor:
    case ir::Op::kNot:
      return {text(), {}, {}};
    case ir::Op::kSelect:
      return Chosen(of.op, inputs);
    case ir::Op::kDiv:
      if (!inputs[0].errors.is_zero() || !inputs[1].errors.is_zero()) {
        Name(inputs[1], "divisor");
        errors = QuotientErrors(variables(node).value, inputs);
      }
      return Rounded(node, text(), std::move(errors));
    case ir::Op::kSqrt:
    case ir::Op::kRsqrt:
    case ir::Op::kExp:
    case ir::Op::kLog:
    case ir::Op::kTanh:
    case ir::Op::kErf:
      if (!inputs[0].errors.is_zero()) {
        Name(inputs[0], "argument");
        const std::string slope = SquaredSlope(of.op, inputs[0].piece.text, variables(node).value);
        errors = inputs[0].errors.Times(1, slope);
      }
      return Rounded(node, text(), std::move(errors));
    case ir::Op::kPow:  // Of exact operands (HasRule()).
      return Rounded(node, text(), std::move(errors));
    default:  // A sum or a difference.
      for (const ElementValue& input : inputs) errors.Add(input.errors);
      return Rounded(node, text(), std::move(errors));
  }
}

Piece ElementValues::Loaded(const Expression::Node& load, int block) {
  std::string access = AccessText(e_, names_, load), guard = GuardText(e_, names_, load);
  if (load.index >= 0) {
    const std::string index = "int(" + ValueOf(load.index, block).piece.text + ")";
    const std::string number = ElementText(e_, names_, load, index);
    access = names_.array(load.array) + "[" + number + "]";
    guard += (guard.empty() ? "" : " && ") + number + " < " +
             std::to_string(e_.array(load.array).elements) + "u";
  }
  const std::string element = "double(" + access + ")";
  if (guard.empty()) return {element};
  const std::string outside = ir::NumberText(load.otherwise, load.type, ir::Dialect::kDouble);
  return {"(" + guard + " ? " + element + " : " + outside + ")"};
}

void ElementValues::Name(ElementValue& value, const std::string& wanted) {
  if (value.form == Form::kName) return;
  const std::string name = names_.Unique(wanted);
  Line("const double " + name + " = " + value.piece.text + ";");
  value.piece = {name};
  value.form = Form::kName;
}

/// The errors of a value stand in those of each value that is made of it, and may be there several
/// times: in a chain of many steps their text would double with each of them.
void ElementValues::NameLongErrors(int node, ElementValue& value) {
  constexpr std::size_t kLong = 1000;
  const std::string text = value.errors.Text();
  if (text.size() <= kLong) return;
  const std::string name = names_.Unique(names_.node(node) + "_errors");
  Line("const double " + name + " = " + text + ";");
  value.errors = {};
  value.errors.products.emplace_back(1, name);
}

/// What is rounded has a name: the square of it is one of its errors.
ElementValue ElementValues::Rounded(int node, const Piece& piece, ErrorSquares errors) {
  const double squares = SquaresOfOne(e_.node(node));
  if (squares == 0) return {piece, std::move(errors), {}};
  const std::string& name = variables(node).value;
  Line("const double " + name + " = " + piece.text + ";");
  errors.Add(OwnSquares(e_.node(node).op) * squares, Squared(name));
  return {{name}, std::move(errors), {}, Form::kName};
}

ErrorSquares ElementValues::QuotientErrors(const std::string& quotient,
                                           const std::vector<ElementValue>& inputs) const {
  const std::string square = "(" + Squared(inputs[1].piece.text) + ")";
  ErrorSquares errors = inputs[0].errors.Times(1, "1.0 / " + square);
  errors.Add(inputs[1].errors.Times(1, Squared(quotient) + " / " + square));
  return errors;
}

/// The condition is exact: the errors are those of the value that it picks.
ElementValue ElementValues::Chosen(ir::Op op, std::vector<ElementValue>& inputs) {
  ElementValue value;
  if (!inputs[1].errors.is_zero() || !inputs[2].errors.is_zero()) {
    Name(inputs[0], "condition");
    value.errors.Add(1, "(" + inputs[0].piece.text + " != 0 ? " + inputs[1].errors.Text() + " : " +
                            inputs[2].errors.Text() + ")");
  }
  value.piece = DoubleText(op, Pieces(inputs));
  return value;
}

ErrorSquares ElementValues::ProductErrors(ElementValue& a, ElementValue& b) {
  ErrorSquares errors;
  for (const auto& [factor, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (other->errors.is_zero()) continue;
    if (factor->literal) {
      errors.Add(other->errors.Times(*factor->literal * *factor->literal, ""));
      continue;
    }
    if (factor->form != Form::kShort) Name(*factor, "factor");
    errors.Add(other->errors.Times(1, Squared(factor->piece.text)));
  }
  return errors;
}

ErrorSquares ElementValues::LargerErrors(int node, const std::vector<ElementValue>& inputs) {
  const ErrorSquares &a = inputs[0].errors, &b = inputs[1].errors;
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  std::vector<Piece> names;
  for (const ErrorSquares* errors : {&a, &b}) {
    names.push_back({names_.Unique(names_.node(node) + "_errors")});
    Line("const double " + names.back().text + " = " + errors->Text() + ";");
  }
  return {{{1, "(" + DoubleText(ir::Op::kMax, names).text + ")"}}};
}

}  // namespace exh::kernels::derived
