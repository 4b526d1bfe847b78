// SPDX-License-Identifier: MIT
#include "functional/terms/poly.h"

#include <limits>
#include <numeric>

namespace exh::functional {
namespace {

using Wide = __int128;

constexpr std::size_t kMostParts = 256;
constexpr int kMostSteps = 64;

Wide Gcd(Wide a, Wide b) {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

std::optional<Fraction> Lowest(Wide num, Wide den) {
  if (den < 0) {
    num = -num;
    den = -den;
  }
  const Wide common = Gcd(num, den);
  if (common > 1) {
    num /= common;
    den /= common;
  }
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  if (num > kMost || num < -kMost || den > kMost) return std::nullopt;
  return Fraction{static_cast<std::int64_t>(num), static_cast<std::int64_t>(den)};
}

std::optional<Fraction> Product(Fraction a, Fraction b) {
  return Lowest(Wide{a.num} * b.num, Wide{a.den} * b.den);
}

std::optional<Fraction> Sum(Fraction a, Fraction b) {
  Wide left = 0, right = 0, num = 0;
  if (__builtin_mul_overflow(Wide{a.num}, Wide{b.den}, &left) ||
      __builtin_mul_overflow(Wide{b.num}, Wide{a.den}, &right) ||
      __builtin_add_overflow(left, right, &num)) {
    return std::nullopt;
  }
  return Lowest(num, Wide{a.den} * b.den);
}

/// The exponents of `b` count `sign` times.
Monomial Times(const Monomial& a, const Monomial& b, int sign) {
  std::map<int, int> exponents(a.begin(), a.end());
  for (const auto& [atom, exponent] : b) exponents[atom] += sign * exponent;
  Monomial all;
  for (const auto& [atom, exponent] : exponents) {
    if (exponent != 0) all.emplace_back(atom, exponent);
  }
  return all;
}

}  // namespace

Poly Poly::Number(std::int64_t number) {
  Poly poly;
  poly.Add({}, {number, 1});
  return poly;
}

Poly Poly::Atom(int atom) {
  Poly poly;
  poly.Add({{atom, 1}}, {1, 1});
  return poly;
}

void Poly::Add(const Monomial& monomial, Fraction coefficient) {
  if (coefficient.num == 0 || is_bad_) return;
  const auto [part, is_new] = parts_.try_emplace(monomial, coefficient);
  if (!is_new) {
    const auto sum = Sum(part->second, coefficient);
    is_bad_ = !sum;
    if (sum && sum->num == 0) {
      parts_.erase(part);
    } else if (sum) {
      part->second = *sum;
    }
  }
  is_bad_ |= parts_.size() > kMostParts;
  for (const auto& [atom, exponent] : monomial) is_bad_ |= exponent > 64 || exponent < -64;
}

std::optional<Fraction> Poly::AsNumber() const {
  if (is_bad_) return std::nullopt;
  if (parts_.empty()) return Fraction{};
  if (parts_.size() > 1 || !parts_.begin()->first.empty()) return std::nullopt;
  return parts_.begin()->second;
}

bool Poly::is_linear() const {
  if (is_bad_) return false;
  for (const auto& [monomial, coefficient] : parts_) {
    if (coefficient.den != 1 || monomial.size() > 1) return false;
    if (!monomial.empty() && monomial.front().second != 1) return false;
  }
  return true;
}

Poly operator+(const Poly& a, const Poly& b) {
  Poly sum = a;
  sum.is_bad_ |= b.is_bad_;
  for (const auto& [monomial, coefficient] : b.parts_) sum.Add(monomial, coefficient);
  return sum;
}

Poly operator-(const Poly& a, const Poly& b) {
  return a + Poly::Number(-1) * b;
}

Poly operator*(const Poly& a, const Poly& b) {
  Poly product;
  product.is_bad_ = a.is_bad_ || b.is_bad_;
  for (const auto& [left, of_left] : a.parts_) {
    for (const auto& [right, of_right] : b.parts_) {
      const auto coefficient = Product(of_left, of_right);
      product.is_bad_ |= !coefficient;
      if (product.is_bad_) return product;
      product.Add(Times(left, right, 1), *coefficient);
    }
  }
  return product;
}

Poly Poly::Quotient(const Poly& a, const Poly& b) {
  Poly quotient;
  quotient.is_bad_ = a.is_bad_ || !b.is_monomial();
  if (quotient.is_bad_) return quotient;
  const auto& [divisor, by] = *b.parts_.begin();
  for (const auto& [monomial, coefficient] : a.parts_) {
    const auto part =
        Product(coefficient, {by.num < 0 ? -by.den : by.den, by.num < 0 ? -by.num : by.num});
    quotient.is_bad_ |= !part;
    if (quotient.is_bad_) return quotient;
    quotient.Add(Times(monomial, divisor, -1), *part);
  }
  return quotient;
}

std::optional<Poly> Poly::ExactQuotient(const Poly& a, const Poly& b) {
  if (a.is_bad_ || b.is_bad_ || b.parts_.empty()) return std::nullopt;
  Poly quotient, rest = a, leading;
  leading.parts_.insert(*b.parts_.rbegin());
  for (int step = 0; step < kMostSteps && !rest.is_bad_; ++step) {
    if (rest.parts_.empty()) return quotient;
    Poly part;
    part.parts_.insert(*rest.parts_.rbegin());
    part = Quotient(part, leading);
    quotient = quotient + part;
    rest = rest - part * b;
  }
  return std::nullopt;
}

std::map<int, Poly> Poly::ByPower(int atom) const {
  std::map<int, Poly> powers;
  for (const auto& [monomial, coefficient] : parts_) {
    Monomial others;
    int power = 0;
    for (const auto& part : monomial) {
      if (part.first == atom) {
        power = part.second;
      } else {
        others.push_back(part);
      }
    }
    powers[power].Add(others, coefficient);
  }
  return powers;
}

}  // namespace exh::functional
