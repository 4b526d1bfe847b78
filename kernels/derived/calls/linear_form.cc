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

/// A node that is read several times is expanded as often: products of products may be many times
/// as many as there are nodes.
constexpr std::size_t kMostTerms = 64;
constexpr int kMostLooks = 4096;

class Matcher {
 public:
  Matcher(const Expression& expression, bool gathers) : e_(expression), gathers_(gathers) {}

  std::optional<LinearForm> Match(int store) {
    LinearForm form{store, {}, false, e_.node(store).type};
    if (!MayBeAsked(form.type) || !IsPlain(e_.node(store))) return std::nullopt;
    computes_ = ir::ComputeTypeOf(form.type);
    const Input value = WithoutRelu(e_.node(store).inputs[0], form.has_relu);
    if (!Expand(value, {}, form.terms) || form.terms.empty()) return std::nullopt;
    const auto has_types = [&](const LinearTerm& term) { return HasTypes(term.factor, form.type); };
    if (!std::ranges::all_of(form.terms, has_types)) return std::nullopt;
    const auto is_plain = [&](const LinearTerm& term) {
      return term.factor.product || IsPlain(e_.node(term.factor.load));
    };
    if (!std::ranges::all_of(form.terms, is_plain)) return std::nullopt;
    std::ranges::stable_sort(form.terms, {}, [](const LinearTerm& term) {
      return term.factor.product ? term.factor.product->node : term.factor.load;
    });
    return form;
  }

 private:
  /// Of floats of 8 bits libraries have products with scales of their own, and nothing else.
  static bool MayBeAsked(ir::Type type) { return ir::IsFloat(type) && !ir::IsF8(type); }

  /// Can a library be asked for it, as a part of a value of this type?
  bool HasTypes(const LinearFactor& factor, ir::Type type) const {
    if (factor.product == nullptr) return TypeOf(e_, factor) == type;
    const LinearProduct& product = *factor.product;
    const ir::Type a = TypeOf(e_, product.a), b = TypeOf(e_, product.b);
    const bool widens = type == ir::ComputeTypeOf(a);
    if (a != b || !MayBeAsked(a) || !(a == type || widens)) return false;
    return HasTypes(product.a, a) && HasTypes(product.b, b);
  }

  /// Is the operator evaluated, and its value kept, in what everything is computed in?
  bool IsComputed(const Node& node) const {
    return node.type == computes_ && ir::ComputeTypeOf(node.computes) == computes_;
  }

  /// A number, also one that a node passes on as it is.
  std::optional<Input> NumberOf(const Input& input) const {
    if (input.is_number()) return input;
    const Node& node = e_.node(input.node);
    if (node.op != ir::Op::kConst) return std::nullopt;
    const std::optional<Input> number = NumberOf(node.inputs[0]);
    const bool is_kept =
        number && (IsComputed(node) || ir::Rounded(node.type, number->number) == number->number);
    return is_kept ? number : std::nullopt;
  }

  bool IsZero(const Input& input) const {
    const std::optional<Input> number = NumberOf(input);
    return number && number->scalar.empty() && number->number == 0;
  }

  Input Skip(Input input) const {  // What passes a value on.
    while (!input.is_number()) {
      const Node& node = e_.node(input.node);
      if (node.op != ir::Op::kConst) break;
      if (const std::optional<Input> number = NumberOf(input)) return *number;
      if (!IsComputed(node)) break;
      input = Input(node.inputs[0]);
    }
    return input;
  }

  /// What max(0, …) or max(…, 0) is of: a NaN stays one, as in what is called for it.
  Input WithoutRelu(const Input& from, bool& has_relu) const {
    const Input input = Skip(from);
    if (input.is_number()) return input;
    const Node& node = e_.node(input.node);
    if (node.op != ir::Op::kMax || node.accumulates() || !IsComputed(node)) return input;
    for (const std::size_t zero : {0, 1}) {
      if (!IsZero(node.inputs[zero])) continue;
      has_relu = true;
      return node.inputs[1 - zero];
    }
    return input;
  }

  Numbers Times(Numbers numbers, const Input& number) const {
    numbers.push_back(number);
    numbers.back().number = ir::Rounded(computes_, number.number);
    return numbers;
  }

  /// Appends what the value, times the numbers, is a sum of.
  bool Expand(const Input& from, const Numbers& numbers, std::vector<LinearTerm>& terms) {
    const Input input = Skip(from);
    if (input.is_number()) return IsZero(input);
    const Node& node = e_.node(input.node);
    if (terms.size() > kMostTerms || ++looks_ > kMostLooks) return false;
    if (node.op == ir::Op::kLoad) {
      if (node.index >= 0 || (!gathers_ && !IsPlain(node))) return false;
      terms.push_back({{numbers}, {input.node, nullptr}});
      return true;
    }
    if (!IsComputed(node) || node.is_scan()) return false;
    if (node.is_reduction()) {
      return ExpandSum(input.node, numbers, terms) && Expand({node.init, 0, ""}, numbers, terms);
    }
    switch (node.op) {
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
    const bool is_product = product.op == ir::Op::kMul && !product.accumulates();
    if (!is_product || !IsComputed(product)) return false;
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
  const bool gathers_;
  ir::Type computes_ = ir::Type::kF32;  ///< What the output is computed in.
  int looks_ = 0;                       ///< At nodes.
};

}  // namespace

ir::Type TypeOf(const Expression& expression, const LinearFactor& factor) {
  if (factor.product == nullptr) return expression.node(factor.load).type;
  return ir::ComputeTypeOf(expression.node(factor.product->node).type);
}

double Coefficient::value() const {
  double product = 1;
  for (const Input& number : numbers) product *= number.number;
  return product;
}

bool IsPlain(const Expression::Node& access) {
  const auto is_backward = [](const auto& stride) { return stride.second < 0; };
  return access.offset == 0 && access.guards.empty() && access.index < 0 &&
         std::ranges::none_of(access.strides, is_backward);
}

std::optional<LinearForm> LinearFormOf(const Expression& expression, int store, bool gathers) {
  return Matcher(expression, gathers).Match(store);
}

}  // namespace exh::kernels::derived
