// SPDX-License-Identifier: MIT
#include "functional/terms/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

namespace exh::functional {
namespace {

using Wide = __int128;

/// Numbers above it are nothing that a machine counts with.
constexpr Wide kMost = Wide{1} << 62;
/// What doubles may be wrong by, as a share of what they are made of.
constexpr double kSlack = 1e-9;
/// Terms that print more than this are no use to anybody.
constexpr int kMostSize = 500;
/// Between factors.
constexpr const char* kTimes = " * ";

/// What became too large to be calculated with.
Term Bad() {
  constexpr std::int64_t kLarge = std::numeric_limits<std::int64_t>::max();
  Term term;
  term.poly = Poly::Number(kLarge) * Poly::Number(kLarge);
  return term;
}

bool IsOne(const Term& term) {
  const auto number = term.AsNumber();
  return number && *number == 1;
}

/// Takes from both lists what they have in common.
void Cancel(std::vector<FactorPtr>& numerator, std::vector<FactorPtr>& denominator) {
  for (std::size_t i = 0; i < denominator.size();) {
    const auto same = std::ranges::find_if(
        numerator, [&](const FactorPtr& factor) { return factor->poly == denominator[i]->poly; });
    if (same == numerator.end()) {
      ++i;
      continue;
    }
    numerator.erase(same);
    denominator.erase(denominator.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::optional<std::int64_t> Checked(Wide number) {
  if (number > kMost || number < -kMost) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::int64_t FloorDiv(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

std::optional<std::int64_t> Applied(TermFactor::Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case TermFactor::Op::kAdd:
      return Checked(Wide{a} + b);
    case TermFactor::Op::kSubtract:
      return Checked(Wide{a} - b);
    case TermFactor::Op::kDiv:
      return b == 0 ? std::nullopt : std::optional(FloorDiv(a, b));
    case TermFactor::Op::kMod:
      return b == 0 ? std::nullopt : Checked(a - Wide{b} * FloorDiv(a, b));
    case TermFactor::Op::kMin:
      return std::min(a, b);
    case TermFactor::Op::kMax:
      return std::max(a, b);
    case TermFactor::Op::kLinear:
      break;
  }
  EXH_UNREACHABLE();
}

Bounds Hull(double a, double b, double c, double d) {
  return {std::min({a, b, c, d}), std::max({a, b, c, d})};
}

constexpr Bounds kAnything = {-std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::infinity()};

Bounds Times(Bounds a, Bounds b) {
  const Bounds hull = Hull(a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max);
  return std::isnan(hull.min) || std::isnan(hull.max) ? kAnything : hull;
}

Bounds Over(Bounds a, Bounds b) {
  if (b.min < 1) return kAnything;
  return Hull(a.min / b.min, a.min / b.max, a.max / b.min, a.max / b.max);
}

Bounds Applied(TermFactor::Op op, Bounds a, Bounds b) {
  switch (op) {
    case TermFactor::Op::kAdd:
      return {a.min + b.min, a.max + b.max};
    case TermFactor::Op::kSubtract:
      return {a.min - b.max, a.max - b.min};
    case TermFactor::Op::kDiv: {
      const Bounds exact = Over(a, b);
      return {std::floor(exact.min - kSlack), exact.max};
    }
    case TermFactor::Op::kMod:
      return b.min < 1 ? kAnything : Bounds{0, b.max - 1};
    case TermFactor::Op::kMin:
      return {std::min(a.min, b.min), std::min(a.max, b.max)};
    case TermFactor::Op::kMax:
      return {std::max(a.min, b.min), std::max(a.max, b.max)};
    case TermFactor::Op::kLinear:
      break;
  }
  EXH_UNREACHABLE();
}

}  // namespace

std::optional<std::int64_t> Term::AsNumber() const {
  const auto number = poly.AsNumber();
  return number && number->den == 1 ? std::optional(number->num) : std::nullopt;
}

int Term::size() const {
  int sum = 1;
  for (const FactorPtr& factor : numerator) sum += factor->size;
  for (const FactorPtr& factor : denominator) sum += factor->size;
  return sum;
}

int Terms::AtomOf(FactorPtr factor) {
  const std::string text = Print(*factor, false, true).text + (factor->exact ? " exactly" : "");
  const auto [found, is_new] = by_text_.try_emplace(text, static_cast<int>(atoms_.size()));
  if (is_new) atoms_.push_back({"", factor, {}});
  return found->second;
}

Term Terms::OfPoly(Poly poly) const {
  Term term;
  term.poly = poly;
  const auto number = term.AsNumber();
  term.coefficient = number.value_or(1);
  if (number || poly.is_bad()) return term;
  // A multiple of an atom is a number and the atom, so that the atom can cancel.
  if (poly.is_monomial() && poly.is_linear()) {
    term.coefficient = poly.parts().begin()->second.num;
    poly = Poly::Atom(poly.parts().begin()->first.front().first);
  }
  TermFactor factor;
  factor.poly = std::move(poly);
  term.numerator.push_back(std::make_shared<const TermFactor>(std::move(factor)));
  return term;
}

Term Terms::OfAtom(TermFactor factor, const Term& a, const Term& b) {
  factor.size = a.size() + b.size();
  if (a.is_bad() || b.is_bad() || factor.size > kMostSize) return Bad();
  factor.left = a;
  factor.right = b;
  return OfPoly(Poly::Atom(AtomOf(std::make_shared<const TermFactor>(std::move(factor)))));
}

Term Terms::OfFactor(FactorPtr factor) const {
  if (factor->poly.is_linear()) return OfPoly(factor->poly);
  Term term;
  term.poly = factor->poly;
  term.coefficient = 1;
  term.numerator.push_back(std::move(factor));
  return term;
}

/// Where an exact quotient q of a by b meets its divisor, both become a: from the highest power on,
/// c * b * q^n is c * a * q^(n - 1).
Poly Terms::Simplified(Poly poly) const {
  for (int atom = static_cast<int>(atoms_.size()) - 1; atom >= 0; --atom) {
    const FactorPtr& factor = atoms_[static_cast<std::size_t>(atom)].factor;
    if (factor == nullptr || !factor->exact) continue;
    std::map<int, Poly> powers = poly.ByPower(atom);
    if (powers.empty() || powers.begin()->first < 0 || powers.rbegin()->first < 1) continue;
    bool any = false;
    for (int power = powers.rbegin()->first; power >= 1; --power) {
      const auto times = Poly::ExactQuotient(powers[power], factor->right.poly);
      if (!times || times->is_zero()) continue;
      any = true;
      powers[power - 1] = powers[power - 1] + *times * factor->left.poly;
      powers[power] = Poly();
    }
    if (!any) continue;
    Poly sum, base = Poly::Number(1);
    int at = 0;
    for (const auto& [power, multiple] : powers) {
      for (; at < power; ++at) base = base * Poly::Atom(atom);
      sum = sum + multiple * base;
    }
    poly = sum;
  }
  return poly;
}

Term Terms::Parameter(const std::string& name) {
  const auto [found, is_new] = by_text_.try_emplace(name, static_cast<int>(atoms_.size()));
  if (is_new) atoms_.push_back({name, nullptr, kAnything});
  return OfPoly(Poly::Atom(found->second));
}

void Terms::SetBounds(const std::string& name, Bounds bounds) {
  atoms_[static_cast<std::size_t>(by_text_.at(name))].bounds = bounds;
}

Term Terms::Number(std::int64_t number) {
  Term term;
  term.poly = Poly::Number(number);
  term.coefficient = number;
  return term;
}

Term Terms::Add(const Term& a, const Term& b) const {
  TermFactor sum;
  sum.op = TermFactor::Op::kAdd;
  sum.poly = Simplified(a.poly + b.poly);
  sum.size = a.size() + b.size();
  if (sum.size > kMostSize) return Bad();
  if (sum.poly.is_linear() || sum.poly.is_bad()) return OfPoly(sum.poly);
  sum.left = a;
  sum.right = b;
  return OfFactor(std::make_shared<const TermFactor>(std::move(sum)));
}

Term Terms::Subtract(const Term& a, const Term& b) const {
  TermFactor difference;
  difference.op = TermFactor::Op::kSubtract;
  difference.poly = Simplified(a.poly - b.poly);
  difference.size = a.size() + b.size();
  if (difference.size > kMostSize) return Bad();
  if (difference.poly.is_linear() || difference.poly.is_bad()) return OfPoly(difference.poly);
  difference.left = a;
  difference.right = b;
  return OfFactor(std::make_shared<const TermFactor>(std::move(difference)));
}

Term Terms::Multiply(const Term& a, const Term& b) const {
  Term product;
  product.poly = Simplified(a.poly * b.poly);
  if (product.poly.is_linear() || product.poly.is_bad()) return OfPoly(product.poly);
  const auto coefficient = Checked(Wide{a.coefficient} * b.coefficient);
  if (!coefficient || a.size() + b.size() > kMostSize) return Bad();
  product.coefficient = *coefficient;
  product.numerator = a.numerator;
  product.numerator.insert(product.numerator.end(), b.numerator.begin(), b.numerator.end());
  product.denominator = a.denominator;
  product.denominator.insert(product.denominator.end(), b.denominator.begin(), b.denominator.end());
  Cancel(product.numerator, product.denominator);
  return product;
}

Term Terms::Divide(const Term& a, const Term& b) {
  if (IsOne(b)) return a;
  if (!b.poly.is_monomial()) {
    if (const auto whole = Poly::ExactQuotient(a.poly, b.poly); whole && whole->is_linear()) {
      return OfPoly(*whole);
    }
    TermFactor quotient;
    quotient.op = TermFactor::Op::kDiv;
    quotient.exact = true;
    return OfAtom(std::move(quotient), a, b);
  }
  Term quotient;
  quotient.poly = Poly::Quotient(a.poly, b.poly);
  if (quotient.poly.is_linear() || quotient.poly.is_bad()) return OfPoly(quotient.poly);
  quotient.coefficient = a.coefficient;
  quotient.numerator = a.numerator;
  quotient.denominator = a.denominator;
  quotient.numerator.insert(quotient.numerator.end(), b.denominator.begin(), b.denominator.end());
  quotient.denominator.insert(quotient.denominator.end(), b.numerator.begin(), b.numerator.end());
  Cancel(quotient.numerator, quotient.denominator);
  if (b.coefficient != 0 && quotient.coefficient % b.coefficient == 0) {
    quotient.coefficient /= b.coefficient;
  } else {
    TermFactor number;
    number.poly = Poly::Number(b.coefficient);
    quotient.denominator.push_back(std::make_shared<const TermFactor>(std::move(number)));
  }
  return quotient;
}

Term Terms::Apply(TermFactor::Op op, const Term& a, const Term& b) {
  const auto left = a.AsNumber(), right = b.AsNumber();
  if (left && right) {
    const auto number = Applied(op, *left, *right);
    if (number) return Number(*number);
  }
  if (op == TermFactor::Op::kDiv && IsOne(b)) return a;
  if (op == TermFactor::Op::kMod && IsOne(b)) return Number(0);
  if ((op == TermFactor::Op::kMin || op == TermFactor::Op::kMax) && IsEqual(a, b)) return a;
  TermFactor factor;
  factor.op = op;
  return OfAtom(std::move(factor), a, b);
}

void Terms::Printed::Append(const std::string& sign, const Printed& more) {
  if (text.empty()) {
    *this = more;
    return;
  }
  text += sign + more.text;
  is_word = false;
  has_product = has_product || more.has_product || sign == kTimes;
}

Terms::Printed Terms::Printed::Within(bool needed) const {
  return needed ? Printed{"(" + text + ")", is_word, has_product} : *this;
}

Terms::Printed Terms::Print(const Poly& poly, bool as_exh) const {
  Printed all;
  const auto add = [&](const Monomial& monomial, Fraction coefficient) {
    Printed part, below;
    const std::int64_t size = coefficient.num < 0 ? -coefficient.num : coefficient.num;
    if (size != 1 || monomial.empty()) part.text = fmt::format("{}", size);
    if (coefficient.den != 1) below.text = fmt::format("{}", coefficient.den);
    for (const auto& [id, exponent] : monomial) {
      const Atom& atom = atoms_[static_cast<std::size_t>(id)];
      const Printed name = atom.factor == nullptr
                               ? Printed{.text = atom.parameter + (as_exh ? "()" : "")}
                               : Print(*atom.factor, as_exh, false);
      for (int i = 0; i < std::abs(exponent); ++i) {
        (exponent > 0 ? part : below).Append(kTimes, name);
      }
    }
    if (part.text.empty()) part.text = "1";
    if (!below.text.empty()) part.Append(" / ", below.Within(true));
    const bool minus = coefficient.num < 0;
    if (all.text.empty() && minus) part.text = "-" + part.text;
    all.Append(minus ? " - " : " + ", part);
  };
  // What is added before what is subtracted.
  for (const auto& [monomial, coefficient] : poly.parts()) {
    if (coefficient.num > 0) add(monomial, coefficient);
  }
  for (const auto& [monomial, coefficient] : poly.parts()) {
    if (coefficient.num < 0) add(monomial, coefficient);
  }
  return all.text.empty() ? Printed{.text = "0"} : all;
}

Terms::Printed Terms::Print(const TermFactor& factor, bool as_exh, bool alone) const {
  const auto operand = [&](const Term& term) {
    const Printed text = Print(term, as_exh);
    return text.Within(!text.is_word);
  };
  const auto joined = [&](Printed left, const char* sign, const Printed& right) {
    left.Append(sign, right);
    return left.Within(!alone);
  };
  switch (factor.op) {
    case TermFactor::Op::kLinear: {
      const bool simple =
          factor.poly.parts().size() == 1 && factor.poly.parts().begin()->second == Fraction{1, 1};
      const bool is_number = factor.poly.AsNumber().has_value();
      return Print(factor.poly, as_exh).Within(!alone && !simple && !is_number);
    }
    case TermFactor::Op::kAdd:
      return joined(Print(factor.left, as_exh), " + ", operand(factor.right));
    case TermFactor::Op::kSubtract:
      return joined(Print(factor.left, as_exh), " - ", operand(factor.right));
    case TermFactor::Op::kDiv:
      return joined(operand(factor.left), " div ", operand(factor.right));
    case TermFactor::Op::kMod:
      return joined(operand(factor.left), " % ", operand(factor.right));
    case TermFactor::Op::kMin:
    case TermFactor::Op::kMax: {
      Printed call = Print(factor.left, as_exh);
      call.Append(", ", Print(factor.right, as_exh));
      call.text = (factor.op == TermFactor::Op::kMin ? "min(" : "max(") + call.text + ")";
      return call;
    }
  }
  EXH_UNREACHABLE();
}

std::string Terms::Text(const Term& term, bool as_exh) const {
  return Print(term, as_exh).text;
}

Terms::Printed Terms::Print(const Term& term, bool as_exh) const {
  if (term.is_bad()) return {.text = "?"};
  const bool is_number = term.numerator.empty() && term.denominator.empty();
  if (is_number) return {.text = fmt::format("{}", term.coefficient)};
  Printed all;
  if (term.coefficient != 1 || term.numerator.empty()) {
    all.text = fmt::format("{}", term.coefficient);
  }
  const bool is_alone = all.text.empty() && term.numerator.size() == 1 && term.denominator.empty();
  for (const FactorPtr& factor : term.numerator) {
    all.Append(kTimes, Print(*factor, as_exh, is_alone));
  }
  if (term.denominator.empty()) return all;
  Printed below;
  for (const FactorPtr& factor : term.denominator) {
    below.Append(kTimes, Print(*factor, as_exh, false));
  }
  all = all.Within(all.has_product);
  all.Append(as_exh ? " div " : " / ", below.Within(term.denominator.size() > 1));
  return all;
}

void Terms::Collect(const Poly& poly, std::set<std::string>& names) const {
  for (const auto& [monomial, coefficient] : poly.parts()) {
    for (const auto& [id, exponent] : monomial) {
      const Atom& atom = atoms_[static_cast<std::size_t>(id)];
      if (atom.factor == nullptr) {
        names.insert(atom.parameter);
      } else {
        Collect(atom.factor->left, names);
        Collect(atom.factor->right, names);
      }
    }
  }
}

void Terms::Collect(const Term& term, std::set<std::string>& names) const {
  for (const auto* list : {&term.numerator, &term.denominator}) {
    for (const FactorPtr& factor : *list) {
      if (factor->op == TermFactor::Op::kLinear) {
        Collect(factor->poly, names);
      } else {
        Collect(factor->left, names);
        Collect(factor->right, names);
      }
    }
  }
}

std::set<std::string> Terms::ParametersOf(const Term& term) const {
  std::set<std::string> names;
  Collect(term, names);
  return names;
}

std::optional<std::int64_t> Terms::Evaluate(
    const Poly& linear, const std::map<std::string, std::int64_t>& values) const {
  Wide sum = 0;
  for (const auto& [monomial, coefficient] : linear.parts()) {
    EXH_CHECK(coefficient.den == 1 && monomial.size() <= 1);
    std::optional<std::int64_t> value = 1;
    if (!monomial.empty()) {
      const Atom& atom = atoms_[static_cast<std::size_t>(monomial.front().first)];
      value = atom.factor == nullptr ? std::optional(values.at(atom.parameter))
                                     : Evaluate(*atom.factor, values);
    }
    if (!value) return std::nullopt;
    const auto part = Checked(Wide{coefficient.num} * *value);
    if (!part) return std::nullopt;
    sum += *part;
  }
  return Checked(sum);
}

std::optional<std::int64_t> Terms::Evaluate(
    const TermFactor& factor, const std::map<std::string, std::int64_t>& values) const {
  if (factor.op == TermFactor::Op::kLinear) return Evaluate(factor.poly, values);
  const auto left = Evaluate(factor.left, values), right = Evaluate(factor.right, values);
  return left && right ? Applied(factor.op, *left, *right) : std::nullopt;
}

std::optional<std::int64_t> Terms::Evaluate(
    const Term& term, const std::map<std::string, std::int64_t>& values) const {
  if (term.is_bad()) return std::nullopt;
  std::optional<std::int64_t> above = term.coefficient, below = 1;
  for (const auto& [list, side] :
       {std::pair(&term.numerator, &above), std::pair(&term.denominator, &below)}) {
    for (const FactorPtr& factor : *list) {
      const auto value = Evaluate(*factor, values);
      if (!value || !*side) return std::nullopt;
      *side = Checked(Wide{**side} * *value);
    }
  }
  if (!above || !below || *below == 0 || *above % *below != 0) return std::nullopt;
  return *above / *below;
}

Bounds Terms::BoundsOf(const Poly& poly, double* size) const {
  Bounds sum;
  for (const auto& [monomial, coefficient] : poly.parts()) {
    const double number =
        static_cast<double>(coefficient.num) / static_cast<double>(coefficient.den);
    Bounds part = {number, number};
    for (const auto& [id, exponent] : monomial) {
      const Atom& atom = atoms_[static_cast<std::size_t>(id)];
      const Bounds base = atom.factor == nullptr ? atom.bounds : BoundsOf(*atom.factor);
      for (int i = 0; i < std::abs(exponent); ++i) {
        part = exponent > 0 ? Times(part, base) : Over(part, base);
      }
    }
    sum = {sum.min + part.min, sum.max + part.max};
    if (size != nullptr) *size += std::max(std::abs(part.min), std::abs(part.max));
  }
  return sum;
}

Bounds Terms::BoundsOf(const TermFactor& factor) const {
  if (factor.op == TermFactor::Op::kLinear) return BoundsOf(factor.poly, nullptr);
  return Applied(factor.op, BoundsOf(factor.left), BoundsOf(factor.right));
}

Bounds Terms::BoundsOf(const Term& term) const {
  if (term.is_bad()) return kAnything;
  const auto number = static_cast<double>(term.coefficient);
  Bounds above = {number, number}, below = {1, 1};
  for (const FactorPtr& factor : term.numerator) above = Times(above, BoundsOf(*factor));
  for (const FactorPtr& factor : term.denominator) below = Times(below, BoundsOf(*factor));
  return term.denominator.empty() ? above : Over(above, below);
}

/// Bounds of such a sum are exact.
bool Terms::HasParametersAlone(const Poly& poly) const {
  if (!poly.is_linear()) return false;
  for (const auto& [monomial, coefficient] : poly.parts()) {
    for (const auto& [id, exponent] : monomial) {
      if (atoms_[static_cast<std::size_t>(id)].factor != nullptr) return false;
    }
  }
  return true;
}

bool Terms::IsAtMost(const Term& a, const Term& b) const {
  const Poly difference = a.poly - b.poly;
  if (difference.is_bad()) return false;
  if (const auto number = difference.AsNumber()) return number->num <= 0;
  double size = 0;
  const Bounds both = BoundsOf(difference, &size), left = BoundsOf(a), right = BoundsOf(b);
  if (both.max <= 0 && HasParametersAlone(difference)) return true;
  const double slack = kSlack * (1 + std::abs(left.max) + std::abs(right.min));
  return both.max + kSlack * (1 + size) < 0 || left.max + slack < right.min;
}

bool Terms::IsAbove(const Term& a, const Term& b) const {
  const Poly difference = a.poly - b.poly;
  if (difference.is_bad()) return false;
  if (const auto number = difference.AsNumber()) return number->num > 0;
  double size = 0;
  const Bounds both = BoundsOf(difference, &size), left = BoundsOf(a), right = BoundsOf(b);
  if (both.min > 0 && HasParametersAlone(difference)) return true;
  const double slack = kSlack * (1 + std::abs(left.min) + std::abs(right.max));
  return both.min > kSlack * (1 + size) || left.min > right.max + slack;
}

}  // namespace exh::functional
