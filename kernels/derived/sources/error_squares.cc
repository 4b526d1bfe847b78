// SPDX-License-Identifier: MIT
#include "kernels/derived/sources/error_squares.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/derived/tolerance.h"

namespace exh::kernels::derived {
namespace {

Roundings Product(const Roundings& a, const Roundings& b) {
  return {a.count + b.count + 1, 1, !a.is_exact() || !b.is_exact()};
}

Roundings Sum(const Roundings& a, const Roundings& b) {
  return Product(a, b);  // The same is known of it.
}

Roundings Larger(const Roundings& a, const Roundings& b) {
  return {std::max(a.count, b.count), 0, !a.is_exact() || !b.is_exact()};
}

Roundings Function(const Roundings& input, double own) {
  return {input.count + 1, own, !input.is_exact()};
}

Roundings Elementwise(ir::Op op, const std::vector<Roundings>& inputs) {
  switch (op) {
    case ir::Op::kSqrt:
    case ir::Op::kRsqrt:
    case ir::Op::kExp:
    case ir::Op::kLog:
    case ir::Op::kTanh:
      return Function(inputs[0], OwnSquares(op));
    case ir::Op::kLess:
    case ir::Op::kEqual:
      return {};
    case ir::Op::kSelect:
      return Larger(inputs[1], inputs[2]);
    case ir::Op::kDiv:
    case ir::Op::kMul:
      return Product(inputs[0], inputs[1]);
    case ir::Op::kAdd:
    case ir::Op::kSub:
      return Sum(inputs[0], inputs[1]);
    case ir::Op::kMad:
      return Sum(Product(inputs[0], inputs[1]), inputs[2]);
    case ir::Op::kMin:
    case ir::Op::kMax:
      return Larger(inputs[0], inputs[1]);
    case ir::Op::kLoad:
      return {};
    default:
      return inputs[0];
  }
}

Roundings Reduction(ir::Op op, const std::vector<Roundings>& inputs, const Roundings& init,
                    double points) {
  const Roundings term = op == ir::Op::kMad ? Product(inputs[0], inputs[1]) : inputs[0];
  if (op == ir::Op::kMin || op == ir::Op::kMax) return Larger(init, term);
  return {init.count + term.count + points, 0, true};
}

}  // namespace

double OwnSquares(ir::Op op) {
  switch (op) {
    case ir::Op::kRsqrt:
    case ir::Op::kExp:
    case ir::Op::kLog:
    case ir::Op::kTanh:
      return kFunctionSquares;
    default:
      return 1;
  }
}

bool HasRules(const Expression& expression) {
  const std::vector<Roundings> roundings = RoundingsOf(expression);
  const auto is_exact = [&](const Expression::Input& input) {
    return input.is_number() || roundings[static_cast<std::size_t>(input.node)].is_exact();
  };
  return std::ranges::all_of(expression.nodes, [&](const Expression::Node& node) {
    switch (node.op) {
      case ir::Op::kLess:
      case ir::Op::kEqual:
        return is_exact(node.inputs[0]) && is_exact(node.inputs[1]);
      case ir::Op::kSelect:
        return is_exact(node.inputs[0]);
      case ir::Op::kConst:
      case ir::Op::kAdd:
      case ir::Op::kSub:
      case ir::Op::kDiv:
      case ir::Op::kMin:
      case ir::Op::kMax:
      case ir::Op::kMad:
      case ir::Op::kNeg:
      case ir::Op::kAbs:
      case ir::Op::kSqrt:
      case ir::Op::kRsqrt:
      case ir::Op::kExp:
      case ir::Op::kLog:
      case ir::Op::kTanh:
      case ir::Op::kLoad:
      case ir::Op::kStore:
        return true;
      case ir::Op::kMul:
        return !node.is_reduction();
      default:
        return false;
    }
  });
}

std::vector<Roundings> RoundingsOf(const Expression& expression) {
  std::vector<Roundings> all;
  const auto of = [&](int node) { return all[static_cast<std::size_t>(node)]; };
  for (const Expression::Node& node : expression.nodes) {
    std::vector<Roundings> inputs;
    for (const Expression::Input& input : node.inputs) {
      inputs.push_back(input.is_number() ? Roundings{} : of(input.node));
    }
    all.push_back(node.is_reduction()
                      ? Reduction(node.op, inputs, of(node.init),
                                  static_cast<double>(expression.Points(node.reduced)))
                      : Elementwise(node.op, inputs));
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
