// SPDX-License-Identifier: MIT
//
// Poly: a sum of products of atoms with rational coefficients, in normal form: equal sums are equal
// objects. Exponents may be negative, for exact division by an atom. What an atom is, a parameter
// or a quotient that is no polynomial, is the business of `Terms` (terms.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace exh::functional {

/// In lowest terms; the denominator is above 0.
struct Fraction {
  std::int64_t num = 0, den = 1;
  friend bool operator==(const Fraction&, const Fraction&) = default;
};

/// Atom and exponent, by atom; no exponent is 0.
using Monomial = std::vector<std::pair<int, int>>;

class Poly {
 public:
  Poly() = default;
  static Poly Number(std::int64_t number);
  static Poly Atom(int atom);

  /// The numbers became too large, or the sum too long: it stands for nothing any more.
  bool is_bad() const { return is_bad_; }
  const std::map<Monomial, Fraction>& parts() const { return parts_; }
  bool is_zero() const { return !is_bad_ && parts_.empty(); }
  std::optional<Fraction> AsNumber() const;
  /// Of one part, and not 0.
  bool is_monomial() const { return !is_bad_ && parts_.size() == 1; }
  /// A sum of numbers and of multiples of atoms, with whole coefficients.
  bool is_linear() const;

  friend Poly operator+(const Poly& a, const Poly& b);
  friend Poly operator-(const Poly& a, const Poly& b);
  friend Poly operator*(const Poly& a, const Poly& b);
  friend bool operator==(const Poly&, const Poly&) = default;
  /// `b` is a monomial.
  static Poly Quotient(const Poly& a, const Poly& b);
  /// The polynomial q with a = q * b, where there is one and it is found in a few steps.
  static std::optional<Poly> ExactQuotient(const Poly& a, const Poly& b);

  /// What each power of the atom is multiplied with: the sum of `second * atom^first` is this.
  std::map<int, Poly> ByPower(int atom) const;

 private:
  void Add(const Monomial& monomial, Fraction coefficient);

  std::map<Monomial, Fraction> parts_;
  bool is_bad_ = false;
};

}  // namespace exh::functional
