// SPDX-License-Identifier: MIT
#include "kernels/derived/sources/error_squares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/derived/tolerance.h"

namespace exh::kernels::derived {
namespace {

/// `squares`: those of one rounding; 0: nothing is rounded.
double CountOf(double squares) {
  return squares == 0 ? 0 : 1;
}

Roundings Product(const Roundings& a, const Roundings& b, double squares) {
  return {a.count + b.count + CountOf(squares), squares, !a.is_exact() || !b.is_exact()};
}

Roundings Sum(const Roundings& a, const Roundings& b, double squares) {
  return Product(a, b, squares);  // The same is known of it.
}

Roundings Larger(const Roundings& a, const Roundings& b) {
  return {std::max(a.count, b.count), 0, !a.is_exact() || !b.is_exact()};
}

Roundings Function(const Roundings& input, double own) {
  return {input.count + 1, own, !input.is_exact()};
}

Roundings Elementwise(const Expression::Node& node, const std::vector<Roundings>& inputs) {
  const double squares = SquaresOfOne(node);
  switch (node.op) {
    case ir::Op::kSqrt:
    case ir::Op::kRsqrt:
    case ir::Op::kExp:
    case ir::Op::kLog:
    case ir::Op::kTanh:
    case ir::Op::kErf:
      return Function(inputs[0], OwnSquares(node.op) * squares);
    case ir::Op::kPow:  // Of exact operands (HasRule()).
      return Function({}, OwnSquares(node.op) * squares);
    case ir::Op::kLess:
    case ir::Op::kEqual:
    case ir::Op::kAnd:
    case ir::Op::kOr:
    case ir::Op::kXor:
    case ir::Op::kNot:
    case ir::Op::kLoad:
    case ir::Op::kIndex:
      return {};
    case ir::Op::kSelect:
      return Larger(inputs[1], inputs[2]);
    case ir::Op::kDiv:
    case ir::Op::kMul:
      return Product(inputs[0], inputs[1], squares);
    case ir::Op::kAdd:
    case ir::Op::kSub:
      return Sum(inputs[0], inputs[1], squares);
    case ir::Op::kMad:
      return Sum(Product(inputs[0], inputs[1], squares), inputs[2], squares);
    case ir::Op::kMin:
    case ir::Op::kMax:
      return Larger(inputs[0], inputs[1]);
    default:
      return inputs[0];
  }
}

Roundings Reduction(const Expression::Node& node, const std::vector<Roundings>& inputs,
                    const Roundings& init, double points) {
  const double squares = SquaresOfOne(node);
  const Roundings term =
      node.op == ir::Op::kMad ? Product(inputs[0], inputs[1], squares) : inputs[0];
  if (node.op == ir::Op::kMin || node.op == ir::Op::kMax) return Larger(init, term);
  const bool errs = squares != 0 || !init.is_exact() || !term.is_exact();
  return {init.count + term.count + points * CountOf(squares), 0, errs};
}

/// What the operands become is what they are, and what the node makes of them has a rule, if
/// nothing but what `is_exact` has none.
bool HasRule(const Expression& expression, const Expression::Node& node,
             const std::vector<bool>& is_exact) {
  const auto exact = [&](const Expression::Input& input) {
    return input.is_number() || is_exact[static_cast<std::size_t>(input.node)];
  };
  const bool is_whole = !ir::IsFloat(node.computes);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!expression.Keeps(node.inputs[i], Expression::OperandType(node, i))) return false;
    const bool needs_exact = is_whole && node.op != ir::Op::kConst && node.op != ir::Op::kStore &&
                             node.op != ir::Op::kSelect;
    if (needs_exact && !exact(node.inputs[i])) return false;
  }
  if (node.init >= 0) {
    const Expression::Input init = expression.InitOf(node);
    if (!expression.Keeps(init, ir::ComputeTypeOf(node.computes))) return false;
    if (is_whole && !exact(init)) return false;
  }
  // What an i64 is beyond 2^53 a double has no place for. Programs that check themselves draw small
  // numbers.
  constexpr double kExact = 0x1p53;
  for (const Expression::Input& input : node.inputs) {
    if (is_whole && input.is_number() && std::abs(double{input.number}) >= kExact) return false;
  }
  // Terms that have roundings in common.
  const bool picks = node.op == ir::Op::kMin || node.op == ir::Op::kMax;
  if (!is_whole && !picks && expression.AccumulatesRunning(node)) return false;
  switch (node.op) {
    case ir::Op::kLess:
    case ir::Op::kEqual:
    case ir::Op::kPow:
      return exact(node.inputs[0]) && exact(node.inputs[1]);
    case ir::Op::kSelect:
      return exact(node.inputs[0]);
    case ir::Op::kLoad:
      return node.index < 0 || is_exact[static_cast<std::size_t>(node.index)];
    case ir::Op::kConst:
      return expression.IsCopy(node) || (!ir::IsFloat(node.type) && exact(node.inputs[0]));
    case ir::Op::kStore:
      return expression.IsCopy(node) || ir::IsFloat(node.type) || exact(node.inputs[0]);
    case ir::Op::kMul:
      return !node.accumulates();
    case ir::Op::kSub:
    case ir::Op::kNeg:
    case ir::Op::kNot:
      return node.computes != ir::Type::kU32;
    default:
      return true;
  }
}

/// Is anything rounded that the text of the computation may have made infinite? The squares of that
/// say nothing.
bool RoundsInfinity(const Expression& expression) {
  const auto rounds = [](const Expression::Node& node) {
    switch (node.op) {
      case ir::Op::kLoad:
      case ir::Op::kStore:
      case ir::Op::kConst:
      case ir::Op::kSelect:
      case ir::Op::kMin:
      case ir::Op::kMax:
      case ir::Op::kNeg:
      case ir::Op::kAbs:
        return false;
      default:
        return SquaresOfOne(node) != 0;
    }
  };
  std::vector<bool> is_infinite;
  for (const Expression::Node& node : expression.nodes) {
    bool any = node.op == ir::Op::kLoad && std::isinf(double{node.otherwise});
    for (const Expression::Input& input : node.inputs) {
      any = any || (input.is_number() ? std::isinf(double{input.number})
                                      : is_infinite[static_cast<std::size_t>(input.node)]);
    }
    // What a minimum begins with is no operand of it, but a scan may hand it on.
    if (node.keeps == ir::Keeps::kBefore) {
      any = any || is_infinite[static_cast<std::size_t>(node.init)];
    }
    if (any && rounds(node)) return true;
    is_infinite.push_back(any && node.op != ir::Op::kLess && node.op != ir::Op::kEqual);
  }
  return false;
}

}  // namespace

double OwnSquares(ir::Op op) {
  switch (op) {
    case ir::Op::kRsqrt:
    case ir::Op::kExp:
    case ir::Op::kLog:
    case ir::Op::kTanh:
    case ir::Op::kErf:
      return kFunctionSquares;
    case ir::Op::kPow:
      return kPowerSquares;
    default:
      return 1;
  }
}

double SquaresOfOne(const Expression::Node& node) {
  return RoundingSquares(ir::ComputeTypeOf(node.computes));
}

bool HasRules(const Expression& expression) {
  std::vector<bool> is_exact;
  for (const Roundings& one : RoundingsOf(expression)) is_exact.push_back(one.is_exact());
  const auto has_rule = [&](const Expression::Node& node) {
    return HasRule(expression, node, is_exact);
  };
  return std::ranges::all_of(expression.nodes, has_rule) && !RoundsInfinity(expression);
}

std::vector<Roundings> RoundingsOf(const Expression& expression) {
  std::vector<Roundings> all;
  const auto of = [&](int node) { return all[static_cast<std::size_t>(node)]; };
  for (const Expression::Node& node : expression.nodes) {
    std::vector<Roundings> inputs;
    for (const Expression::Input& input : node.inputs) {
      inputs.push_back(input.is_number() ? Roundings{} : of(input.node));
    }
    all.push_back(node.accumulates()
                      ? Reduction(node, inputs, of(node.init), expression.Steps(node))
                      : Elementwise(node, inputs));
  }
  return all;
}

std::string ErrorSquares::Text(double divisor) const {
  std::string sum;
  for (const auto& [factor, text] : products) {
    const double number = factor / divisor;
    if (!sum.empty()) sum += number < 0 ? " - " : " + ";
    if (sum.empty() && number < 0) sum += "-";
    const double size = number < 0 ? -number : number;
    sum += size == 1 ? text : fmt::format("{} * {}", size, text);
  }
  return sum.empty() ? "0.0" : sum;
}

bool ErrorSquares::HasFactor(double factor) const {
  return std::ranges::all_of(products, [&](const auto& p) { return p.first == factor; });
}

void ErrorSquares::Add(const ErrorSquares& others) {
  for (const auto& [factor, text] : others.products) Add(factor, text);
}

void ErrorSquares::Add(double factor, const std::string& text) {
  const auto same = std::ranges::find(products, text, &std::pair<double, std::string>::second);
  if (same == products.end()) {
    if (factor != 0) products.emplace_back(factor, text);
    return;
  }
  same->first += factor;
  if (same->first == 0) products.erase(same);
}

ErrorSquares ErrorSquares::Times(double factor, const std::string& text) const {
  ErrorSquares result;
  if (text.empty() || products.size() < 2) {
    for (const auto& [number, product] : products) {
      result.products.emplace_back(number * factor,
                                   text.empty() ? product : text + " * " + product);
    }
    return result;
  }
  result.products.emplace_back(factor, text + " * (" + Text() + ")");
  return result;
}

}  // namespace exh::kernels::derived
