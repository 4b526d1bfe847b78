// SPDX-License-Identifier: MIT
//
// Rational: an exact fraction, and what an integer term is for given values. Both oracles read
// terms with it; it shares no code with the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace exh::tests {

/// Numerator and denominator fit into 62 bits: what does not throws std::overflow_error.
class Rational {
 public:
  Rational() = default;
  // NOLINTNEXTLINE: a number is a fraction.
  Rational(std::int64_t whole) : Rational(Reduced(whole, 1)) {}

  /// Nothing when `b` is 0.
  static std::optional<Rational> Quotient(const Rational& a, const Rational& b) {
    if (b.numerator_ == 0) return std::nullopt;
    return Reduced(Wide{a.numerator_} * b.denominator_, Wide{a.denominator_} * b.numerator_);
  }
  std::int64_t numerator() const { return numerator_; }
  /// Positive, without a common divisor with the numerator.
  std::int64_t denominator() const { return denominator_; }
  bool IsWhole() const { return denominator_ == 1; }
  /// The largest whole number that is not above.
  std::int64_t Floor() const {
    const bool above = numerator_ < 0 && numerator_ % denominator_ != 0;
    return numerator_ / denominator_ - (above ? 1 : 0);
  }

  friend Rational operator-(const Rational& a) {
    return Reduced(-Wide{a.numerator_}, a.denominator_);
  }
  friend Rational operator+(const Rational& a, const Rational& b) {
    return Reduced(Wide{a.numerator_} * b.denominator_ + Wide{b.numerator_} * a.denominator_,
                   Wide{a.denominator_} * b.denominator_);
  }
  friend Rational operator-(const Rational& a, const Rational& b) { return a + -b; }
  friend Rational operator*(const Rational& a, const Rational& b) {
    return Reduced(Wide{a.numerator_} * b.numerator_, Wide{a.denominator_} * b.denominator_);
  }
  friend bool operator<(const Rational& a, const Rational& b) {
    return Wide{a.numerator_} * b.denominator_ < Wide{b.numerator_} * a.denominator_;
  }
  friend bool operator==(const Rational&, const Rational&) = default;

 private:
  using Wide = __int128;

  static Rational Reduced(Wide numerator, Wide denominator) {
    if (denominator != 1) {
      Wide a = numerator, b = denominator;
      while (b != 0) a = std::exchange(b, a % b);
      if ((a < 0) != (denominator < 0)) a = -a;
      numerator /= a;
      denominator /= a;
    }
    constexpr Wide kMost = std::int64_t{1} << 62;
    if (numerator > kMost || numerator < -kMost || denominator > kMost) {
      throw std::overflow_error("a term of a test is larger than 62 bits");
    }
    Rational fraction;
    fraction.numerator_ = static_cast<std::int64_t>(numerator);
    fraction.denominator_ = static_cast<std::int64_t>(denominator);
    return fraction;
  }

  std::int64_t numerator_ = 0, denominator_ = 1;
};

/// What two operands yield; nothing when they are divided by 0.
template <typename Kind>
std::optional<Rational> Operate(Kind kind, const Rational& a, const Rational& b) {
  switch (kind) {
    case Kind::kAdd:
      return a + b;
    case Kind::kSubtract:
      return a - b;
    case Kind::kMultiply:
      return a * b;
    case Kind::kMin:
      return b < a ? b : a;
    case Kind::kMax:
      return b < a ? a : b;
    case Kind::kDivide:
    case Kind::kDiv:
    case Kind::kMod:
      break;
    default:
      throw std::logic_error("a term has a node that is no operation");
  }
  const std::optional<Rational> quotient = Rational::Quotient(a, b);
  if (!quotient || kind == Kind::kDivide) return quotient;
  const Rational whole = quotient->Floor();
  return kind == Kind::kDiv ? whole : a - b * whole;
}

/// What the term is, nothing when it divides by 0; `leaf(node)` says what a node without operands
/// is. For terms of runtime::Space and of dsl::Spec.
template <typename Node, typename Leaf>
std::optional<Rational> TermValue(const std::vector<Node>& term, const Leaf& leaf) {
  using Kind = typename Node::Kind;
  std::vector<Rational> stack;
  const auto pop = [&stack] {
    if (stack.empty()) throw std::logic_error("a term lacks an operand");
    const Rational top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Node& node : term) {
    if (node.kind == Kind::kNegate) {
      stack.push_back(-pop());
    } else if (node.kind < Kind::kNegate) {
      stack.push_back(leaf(node));
    } else {
      const Rational b = pop(), a = pop();
      const std::optional<Rational> result = Operate(node.kind, a, b);
      if (!result) return std::nullopt;
      stack.push_back(*result);
    }
  }
  const Rational value = pop();
  if (!stack.empty()) throw std::logic_error("a term has an operand too many");
  return value;
}

}  // namespace exh::tests
