// SPDX-License-Identifier: MIT
#include "search/exchange/exact_term.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "search/exchange/exh_formula.h"

namespace exh::search {
namespace {

using Kind = PythonNode::Kind;

constexpr std::int64_t kMostExponent = 8;
/// Of numbers on the way: products of two of them fit 128 bits.
constexpr __int128 kMostNumber = static_cast<__int128>(1) << 61;

struct DividesByZero {};

/// The exponent of `a ** 3`. Throws NotExact when it is none.
std::int64_t ExponentOf(const PythonNode& node) {
  const bool is_number = node.kind == Kind::kValue && node.value.is_whole();
  if (!is_number || node.value.whole() < 0 || node.value.whole() > kMostExponent) {
    throw NotExact("a power whose exponent is no small number");
  }
  return node.value.whole();
}

/// A number of the text as a fraction of whole ones, exactly.
std::pair<std::int64_t, std::int64_t> FractionOf(const PythonValue& value) {
  if (value.is_whole()) return {value.whole(), 1};
  if (const bool* const truth = std::get_if<bool>(&value.held)) return {*truth ? 1 : 0, 1};
  const double* const number = std::get_if<double>(&value.held);
  if (number == nullptr) throw NotExact("a text or a list in a term");
  constexpr std::int64_t kMostDown = 1 << 20;
  constexpr double kMostUp = 1LL << 31;
  std::int64_t down = 1;
  double up = *number;
  for (; up != std::floor(up) && down < kMostDown; down *= 2) up *= 2;
  if (up != std::floor(up) || std::abs(up) > kMostUp) throw NotExact("a fraction of many digits");
  return {static_cast<std::int64_t>(up), down};
}

__int128 FloorDivided(__int128 a, __int128 b) {
  if (b == 0) throw DividesByZero();
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

}  // namespace

ExactTerms::Text ExactTerms::Combined(const Text& a, const char* op, const Text& b) {
  const bool is_product = op[0] != '+' && op[0] != '-';
  const int strength = is_product ? 2 : 1;
  const auto shown = [](const Text& text, int least) {
    return text.strength < least ? fmt::format("({})", text.text) : text.text;
  };
  return {fmt::format("{} {} {}", shown(a, strength), op, shown(b, strength + 1)), strength};
}

ExactTerms::Text ExactTerms::Multiplied(const Text& a, const Text& b) {
  if (a.text == "1") return b;
  if (b.text == "1") return a;
  return Combined(a, "*", b);
}

ExactTerms::Text ExactTerms::Quotient(const FractionText& fraction) {
  return fraction.is_whole() ? fraction.up : Combined(fraction.up, "/", fraction.down);
}

ExactTerms::FractionText ExactTerms::TextOf(const PythonNode& node) {
  switch (node.kind) {
    case Kind::kValue: {
      if (!node.value.is_whole()) is_surely_exact_ = false;
      const auto [up, down] = FractionOf(node.value);
      if (up < 0) throw NotExact("a negative number");
      return {{fmt::format("{}", up)}, {fmt::format("{}", down)}};
    }
    case Kind::kName: {
      if (static_cast<std::size_t>(node.variable) >= choices_.size()) {
        throw NotExact("a variable of a list");
      }
      const ParameterChoice& choice = choices_[static_cast<std::size_t>(node.variable)];
      if (choice.is_enum) throw NotExact("a parameter that is no whole number");
      return {{choice.name + "()"}};
    }
    case Kind::kNegate: {
      FractionText part = TextOf(node.parts[0]);
      part.up = Text{part.up.strength == 3 ? fmt::format("(-{})", part.up.text)
                                           : fmt::format("(-({}))", part.up.text)};
      return part;
    }
    case Kind::kCalculate:
      return TextOfCalculation(node);
    case Kind::kCall:
      return TextOfCall(node);
    default:
      throw NotExact("no number");
  }
}

ExactTerms::FractionText ExactTerms::TextOfCalculation(const PythonNode& node) {
  const std::string& op = node.word;
  const FractionText a = TextOf(node.parts[0]);
  if (op == "**") {
    const std::int64_t exponent = ExponentOf(node.parts[1]);
    FractionText power{{"1"}};
    for (std::int64_t i = 0; i < exponent; ++i) {
      power = {Multiplied(power.up, a.up), Multiplied(power.down, a.down)};
    }
    return power;
  }
  const FractionText b = TextOf(node.parts[1]);
  if (op == "/") {
    is_surely_exact_ = false;
    return {Multiplied(a.up, b.down), Multiplied(a.down, b.up)};
  }
  if (op == "*") return {Multiplied(a.up, b.up), Multiplied(a.down, b.down)};
  if (op == "//" || op == "%") {
    if (!IsPositive(node.parts[1])) is_surely_exact_ = false;
    const Text up = Multiplied(a.up, b.down), down = Multiplied(b.up, a.down);
    if (op == "//") return {Combined(up, "div", down)};
    return {Combined(up, "%", down), Multiplied(a.down, b.down)};
  }
  if (a.is_whole() && b.is_whole()) return {Combined(a.up, op.c_str(), b.up)};
  return {Combined(Multiplied(a.up, b.down), op.c_str(), Multiplied(b.up, a.down)),
          Multiplied(a.down, b.down)};
}

ExactTerms::FractionText ExactTerms::TextOfCall(const PythonNode& node) {
  std::vector<Text> parts;
  for (const PythonNode& part : node.parts) {
    const FractionText text = TextOf(part);
    if (!text.is_whole()) throw NotExact("a fraction in min, max or abs");
    parts.push_back(text.up);
  }
  const std::string& word = node.word;
  if (word == "abs" && parts.size() == 1) {
    return {{fmt::format("max({0}, -({0}))", parts.front().text)}};
  }
  if ((word != "min" && word != "max") || parts.size() < 2) throw NotExact(word);
  std::string text = parts.front().text;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    text = fmt::format("{}({}, {})", word, text, parts[i].text);
  }
  return {{text}};
}

bool ExactTerms::IsPositive(const PythonNode& node, bool or_zero) const {
  const std::int64_t least = or_zero ? 0 : 1;
  if (node.kind == Kind::kValue) return node.value.is_whole() && node.value.whole() >= least;
  if (node.kind == Kind::kName) {
    const PythonList& values = choices_[static_cast<std::size_t>(node.variable)].values;
    return values.front().is_whole() && values.front().whole() >= least;
  }
  if (node.kind != Kind::kCalculate) return false;
  const PythonNode &a = node.parts[0], &b = node.parts[1];
  if (node.word == "*") return IsPositive(a, or_zero) && IsPositive(b, or_zero);
  if (node.word != "+" || !IsPositive(a, true) || !IsPositive(b, true)) return false;
  return or_zero || IsPositive(a) || IsPositive(b);
}

std::string ExactTerms::TermText(const PythonNode& node) {
  const bool was_exact = std::exchange(is_surely_exact_, true);
  const FractionText text = TextOf(node);
  const bool is_exact = std::exchange(is_surely_exact_, was_exact && is_surely_exact_);
  if (!text.is_whole()) throw NotExact("a fraction, as '/' makes it; '//' makes whole numbers");
  if (!is_exact) throw NotExact("a divisor that may be 0, or a fraction");
  return text.up.text;
}

std::string ExactTerms::ComparisonText(const PythonNode& left, const std::string& op,
                                       const PythonNode& right) {
  const FractionText a = TextOf(left), b = TextOf(right);
  return fmt::format("{} {} {}", Quotient(a).text, op, Quotient(b).text);
}

ExactTerms::Number ExactTerms::NumberOf(const PythonNode& node,
                                        const std::vector<PythonValue>& values) const {
  const auto checked = [](__int128 up, __int128 down) -> Number {
    const auto is_too_large = [](__int128 n) { return n > kMostNumber || n < -kMostNumber; };
    if (is_too_large(up) || is_too_large(down)) throw NotExact("numbers that are too large");
    return {up, down};
  };
  const auto of_value = [](const PythonValue& value) -> Number {
    const auto [up, down] = FractionOf(value);
    return {up, down};
  };
  if (node.kind == Kind::kValue) return of_value(node.value);
  if (node.kind == Kind::kName) return of_value(values[static_cast<std::size_t>(node.variable)]);
  const Number a = NumberOf(node.parts[0], values);
  if (node.kind == Kind::kNegate) return {-a.up, a.down};
  if (node.kind == Kind::kCall) {
    if (node.word == "abs") return {a.up < 0 ? -a.up : a.up, a.down};
    Number best = a;
    for (std::size_t i = 1; i < node.parts.size(); ++i) {
      const Number other = NumberOf(node.parts[i], values);  // Both are whole.
      if (node.word == "min" ? other.up < best.up : other.up > best.up) best = other;
    }
    return best;
  }
  const std::string& op = node.word;
  if (op == "**") {
    Number power{1, 1};
    for (std::int64_t i = ExponentOf(node.parts[1]); i > 0; --i) {
      power = checked(power.up * a.up, power.down * a.down);
    }
    return power;
  }
  const Number b = NumberOf(node.parts[1], values);
  if (op == "*") return checked(a.up * b.up, a.down * b.down);
  if (op == "+") return checked(a.up * b.down + b.up * a.down, a.down * b.down);
  if (op == "-") return checked(a.up * b.down - b.up * a.down, a.down * b.down);
  const Number left = checked(a.up * b.down, b.up * a.down);
  if (left.down == 0) throw DividesByZero();
  if (op == "/") return left;
  const __int128 floor = FloorDivided(left.up, left.down);
  if (op == "//") return {floor, 1};
  return checked(left.up - left.down * floor, a.down * b.down);
}

bool ExactTerms::Compare(const PythonNode& left, const std::string& op, const PythonNode& right,
                         const std::vector<PythonValue>& values) const {
  try {
    Number a = NumberOf(left, values), b = NumberOf(right, values);
    for (Number* const number : {&a, &b}) {
      if (number->down < 0) *number = {-number->up, -number->down};
    }
    const __int128 difference = a.up * b.down - b.up * a.down;
    if (op == "==") return difference == 0;
    if (op == "!=") return difference != 0;
    if (op == "<") return difference < 0;
    if (op == "<=") return difference <= 0;
    if (op == ">") return difference > 0;
    return difference >= 0;
  } catch (const DividesByZero&) {
    return false;
  }
}

}  // namespace exh::search
