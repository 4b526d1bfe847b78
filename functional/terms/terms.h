// SPDX-License-Identifier: MIT
//
// Terms over the parameters of a program: lengths of arrays, and what they are calculated with. A
// term has two forms. Its *normal form* (poly.h) tells whether two terms are the same, such as
// m * (n / m) and n. Its *factors* keep a product as it was made, (theta - 2) * (theta - 2) and not
// theta * theta - 4 * theta + 4, because intervals of factors are narrower, and people read them.
// An exact quotient by what is no product of parameters is an atom; where it is multiplied with its
// divisor again, both forms lose it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "functional/terms/poly.h"

namespace exh::functional {

struct TermFactor;
using FactorPtr = std::shared_ptr<const TermFactor>;

struct Term {
  Poly poly;
  std::int64_t coefficient = 0;
  /// The product of the first divided by that of the second, exactly.
  std::vector<FactorPtr> numerator, denominator;
  int size() const;
  bool is_bad() const { return poly.is_bad(); }
  std::optional<std::int64_t> AsNumber() const;
};

struct TermFactor {
  enum class Op : std::uint8_t { kLinear, kAdd, kSubtract, kDiv, kMod, kMin, kMax };
  Op op = Op::kLinear;
  bool exact = false;  ///< kDiv: nothing is left over, whoever made it requires that.
  int size = 1;        ///< How much it prints, about.
  Poly poly;           ///< kLinear: this is it; otherwise the normal form of the whole.
  Term left, right;
};

/// From the smallest to the largest value; calculated in doubles, so a little too wide or narrow.
struct Bounds {
  double min = 0, max = 0;
};

/// Names the parameters of a program, and knows its atoms.
class Terms {
 public:
  /// A parameter, by its name. Its bounds are unknown until SetBounds.
  Term Parameter(const std::string& name);
  void SetBounds(const std::string& name, Bounds bounds);

  static Term Number(std::int64_t number);
  Term Add(const Term& a, const Term& b) const;
  Term Subtract(const Term& a, const Term& b) const;
  Term Multiply(const Term& a, const Term& b) const;
  /// Where the second divides the first: whoever calls requires it.
  Term Divide(const Term& a, const Term& b);
  /// `op` is one of kDiv, kMod, kMin, kMax.
  Term Apply(TermFactor::Op op, const Term& a, const Term& b);

  /// As a message has it, `112 + rho`, or as `.exh` has it, `112 + rho()`.
  std::string Text(const Term& term, bool as_exh = false) const;
  /// Names of the parameters in it.
  std::set<std::string> ParametersOf(const Term& term) const;
  /// Nothing when it divides by 0, a quotient is not exact, or numbers are too large.
  std::optional<std::int64_t> Evaluate(const Term& term,
                                       const std::map<std::string, std::int64_t>& values) const;
  Bounds BoundsOf(const Term& term) const;

  /// Certainly so, for all values of the parameters.
  bool IsEqual(const Term& a, const Term& b) const { return (a.poly - b.poly).is_zero(); }
  /// Certainly a <= b; certainly a > b: what bounds say.
  bool IsAtMost(const Term& a, const Term& b) const;
  bool IsAbove(const Term& a, const Term& b) const;

 private:
  struct Atom {
    std::string parameter;  ///< Empty: `factor`.
    FactorPtr factor;
    Bounds bounds;
  };

  int AtomOf(FactorPtr factor);
  Term OfPoly(Poly poly) const;
  Term OfAtom(TermFactor factor, const Term& a, const Term& b);
  Term OfFactor(FactorPtr factor) const;
  bool HasParametersAlone(const Poly& poly) const;
  Poly Simplified(Poly poly) const;
  /// A text, and what those need to know of it who put it into a longer one.
  struct Printed {
    std::string text;
    bool is_word = true;       ///< A name, a number or what else has no blanks.
    bool has_product = false;  ///< Somewhere in it.
    /// Behind what is there already, with a sign between.
    void Append(const std::string& sign, const Printed& more);
    /// Itself, in parentheses where these are `needed`.
    Printed Within(bool needed) const;
  };
  Printed Print(const Poly& poly, bool as_exh) const;
  Printed Print(const TermFactor& factor, bool as_exh, bool alone) const;
  Printed Print(const Term& term, bool as_exh) const;
  void Collect(const Term& term, std::set<std::string>& names) const;
  void Collect(const Poly& poly, std::set<std::string>& names) const;
  std::optional<std::int64_t> Evaluate(const TermFactor& factor,
                                       const std::map<std::string, std::int64_t>& values) const;
  std::optional<std::int64_t> Evaluate(const Poly& linear,
                                       const std::map<std::string, std::int64_t>& values) const;
  /// `size`: how large the parts are that add up, for what doubles lose.
  Bounds BoundsOf(const Poly& poly, double* size) const;
  Bounds BoundsOf(const TermFactor& factor) const;

  std::vector<Atom> atoms_;
  std::map<std::string, int> by_text_;
};

}  // namespace exh::functional
