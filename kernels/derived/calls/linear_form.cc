// SPDX-License-Identifier: MIT
#include "kernels/derived/calls/linear_form.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace exh::kernels::derived {
namespace {

using Input = Expression::Input;
using Node = Expression::Node;

/// Numbers that stand before something.
using Numbers = std::vector<Input>;

/// A node that is read several times is expanded as often.
constexpr std::size_t kMostTerms = 64;

class Matcher {
 public:
  explicit Matcher(const Expression& expression) : e_(expression) {}

  std::optional<LinearForm> Match(int store) {
    LinearForm form{store, {}, false};
    const Input value = WithoutRelu(e_.node(store).inputs[0], form.has_relu);
    if (!Expand(value, {}, form.terms) || form.terms.empty()) return std::nullopt;
    std::ranges::stable_sort(form.terms, {}, [](const LinearTerm& term) {
      return term.factor.product ? term.factor.product->node : term.factor.load;
    });
    return form;
  }

 private:
  /// A number, also one that a node passes on.
  std::optional<Input> NumberOf(const Input& input) const {
    if (input.is_number()) return input;
    const Node& node = e_.node(input.node);
    return node.op == ir::Op::kConst ? NumberOf(node.inputs[0]) : std::nullopt;
  }

  bool IsZero(const Input& input) const {
    const std::optional<Input> number = NumberOf(input);
    return number && number->scalar.empty() && number->number == 0;
  }

  Input Skip(Input input) const {  // What passes a value on.
    while (!input.is_number() && e_.node(input.node).op == ir::Op::kConst) {
      input = Input(e_.node(input.node).inputs[0]);
    }
    return input;
  }

  /// What max(0, …) is of. The order matters to a NaN, which stays one in this, as in libraries.
  Input WithoutRelu(const Input& from, bool& has_relu) const {
    const Input input = Skip(from);
    if (input.is_number()) return input;
    const Node& node = e_.node(input.node);
    if (node.op != ir::Op::kMax || node.is_reduction() || !IsZero(node.inputs[0])) return input;
    has_relu = true;
    return node.inputs[1];
  }

  static bool IsBackward(const std::pair<int, std::int64_t>& stride) { return stride.second < 0; }

  static Numbers Times(Numbers numbers, const Input& number) {
    numbers.push_back(number);
    return numbers;
  }

  /// Appends what the value, times the numbers, is a sum of.
  bool Expand(const Input& from, const Numbers& numbers, std::vector<LinearTerm>& terms) {
    const Input input = Skip(from);
    if (input.is_number()) return IsZero(input);
    const Node& node = e_.node(input.node);
    if (terms.size() > kMostTerms) return false;
    if (node.is_reduction()) {
      return ExpandSum(input.node, numbers, terms) && Expand({node.init, 0, ""}, numbers, terms);
    }
    switch (node.op) {
      case ir::Op::kLoad:
        if (node.offset != 0 || std::ranges::any_of(node.strides, IsBackward)) return false;
        terms.push_back({{numbers}, {input.node, nullptr}});
        return true;
      case ir::Op::kAdd:
        return Expand(node.inputs[0], numbers, terms) && Expand(node.inputs[1], numbers, terms);
      case ir::Op::kSub:
        return Expand(node.inputs[0], numbers, terms) &&
               Expand(node.inputs[1], Times(numbers, {-1, -1, ""}), terms);
      case ir::Op::kNeg:
        return Expand(node.inputs[0], Times(numbers, {-1, -1, ""}), terms);
      case ir::Op::kMul:
        return ExpandProduct(input.node, numbers, terms);
      case ir::Op::kMad:
        return ExpandProduct(input.node, numbers, terms) && Expand(node.inputs[2], numbers, terms);
      default:
        return false;
    }
  }

  /// Of the first two inputs of an elementwise node.
  bool ExpandProduct(int index, const Numbers& numbers, std::vector<LinearTerm>& terms) {
    const Node& node = e_.node(index);
    const auto a = NumberOf(node.inputs[0]), b = NumberOf(node.inputs[1]);
    if (a) return Expand(node.inputs[1], Times(numbers, *a), terms);
    if (b) return Expand(node.inputs[0], Times(numbers, *b), terms);
    return AddProduct(index, node.inputs[0], node.inputs[1], numbers, terms);
  }

  /// A reduction without its beginning.
  bool ExpandSum(int index, const Numbers& numbers, std::vector<LinearTerm>& terms) {
    const Node& node = e_.node(index);
    if (node.op == ir::Op::kMad) {
      return AddProduct(index, node.inputs[0], node.inputs[1], numbers, terms);
    }
    const Input summed = Skip(node.inputs[0]);
    if (node.op != ir::Op::kAdd || summed.is_number()) return false;
    const Node& product = e_.node(summed.node);
    if (product.op != ir::Op::kMul) return false;
    return AddProduct(index, product.inputs[0], product.inputs[1], numbers, terms);
  }

  bool AddProduct(int index, const Input& a, const Input& b, const Numbers& numbers,
                  std::vector<LinearTerm>& terms) {
    const Node& node = e_.node(index);
    auto product = std::make_shared<LinearProduct>();
    product->node = index;
    product->axes = node.axes;
    product->reduced = node.reduced;
    Numbers all = numbers;
    if (!FactorOf(a, product->a, all) || !FactorOf(b, product->b, all)) return false;
    terms.push_back({{std::move(all)}, {-1, std::move(product)}});
    return true;
  }

  /// A factor of a product; its coefficient goes to `numbers`.
  bool FactorOf(const Input& input, LinearFactor& factor, Numbers& numbers) {
    bool has_relu = false;
    std::vector<LinearTerm> terms;
    if (!Expand(WithoutRelu(input, has_relu), {}, terms) || terms.size() != 1) return false;
    LinearTerm& only = terms.front();
    factor = std::move(only.factor);
    if (!has_relu) {
      numbers.insert(numbers.end(), only.coefficient.numbers.begin(),
                     only.coefficient.numbers.end());
      return true;
    }
    if (factor.product == nullptr) return false;
    factor.product->coefficient = std::move(only.coefficient);
    factor.product->has_relu = true;
    return true;
  }

  const Expression& e_;
};

}  // namespace

double Coefficient::value() const {
  double product = 1;
  for (const Input& number : numbers) product *= number.number;
  return product;
}

std::optional<LinearForm> LinearFormOf(const Expression& expression, int store) {
  return Matcher(expression).Match(store);
}

}  // namespace exh::kernels::derived
