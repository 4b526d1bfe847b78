// SPDX-License-Identifier: MIT
//
// Index: a whole number in a loop nest, such as where an element of an array lies, as a sum of
// whole multiples of *atoms* and a constant. An atom is a variable of a loop, a quotient, a
// remainder, an extreme or a choice of two sums, or another sum of which something else has made
// sure where it lies. Sums are kept in one form, so that equal ones compare equal: a quotient by n
// takes out what n divides, its rest is left out where the ranges say that it is 0, and
// n * (x / n) + x % n is x again. So what splitting and joining an array do to each other costs
// nothing.
//
// With i of 0 to 7 and j of 0 to 3: (4 * i + j) / 4 is i, (4 * i + j) % 4 is j, and (i + 1) / 4
// stays what it is.
//
// Invariants. Factors are never 0 and terms ascend by their atoms. min() and max() hold wherever
// every variable is in its range; they may be wider than the values are. What is divided is never
// negative there, so / and % of C++ are those that are meant.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace exh::kernels::ir {

/// What a loop counts with, from min to max. Its number says which one it is; texts have its name.
struct IndexVariable {
  int number = 0;
  std::string name;
  std::int64_t min = 0, max = 0;

  /// From 0 to extent - 1.
  static IndexVariable Of(int number, std::string name, std::int64_t extent) {
    return {number, std::move(name), 0, extent - 1};
  }
};

/// How terms are printed.
enum class IndexOrder : std::uint8_t {
  kNames,    ///< "8 * i + 64 * j", by their texts.
  kFactors,  ///< "j * 64 + i * 8", by their factors from the largest on.
};

/// The functions of C++ that texts of indices call: min(a, b) and max(a, b).
struct IndexExtremes {
  bool min = false, max = false;
};

struct IndexAtom;
class Condition;

class Index {
 public:
  struct Term {
    std::shared_ptr<const IndexAtom> atom;
    std::int64_t factor = 0;
  };

  Index() = default;
  Index(std::int64_t constant) : constant_(constant), min_(constant), max_(constant) {}  // NOLINT
  explicit Index(const IndexVariable& variable);

  friend Index operator+(const Index& a, const Index& b);
  friend Index operator*(const Index& a, std::int64_t factor);
  friend Index operator-(const Index& a, const Index& b) { return a + b * -1; }

  /// Rounded down. `by` is positive.
  Index Div(std::int64_t by) const;
  /// What Div() leaves: 0 to by - 1.
  Index Mod(std::int64_t by) const;
  /// The same, where something else has made sure that it is 0 to extent - 1.
  Index Within(std::int64_t extent) const;
  /// The smaller and the larger of two.
  static Index Min(const Index& a, const Index& b);
  static Index Max(const Index& a, const Index& b);
  /// `a` where the condition holds, else `b`.
  static Index Choice(const Condition& condition, const Index& a, const Index& b);
  /// With indices for variables: for `first` and those numbered behind it.
  Index With(int first, std::span<const Index> values) const;
  Index With(int variable, const Index& value) const { return With(variable, {&value, 1}); }

  std::int64_t min() const { return min_; }
  std::int64_t max() const { return max_; }
  std::int64_t constant() const { return constant_; }
  const std::vector<Term>& terms() const { return terms_; }
  /// Where it is one everywhere.
  std::optional<std::int64_t> number() const;
  /// Where it is nothing but one.
  const IndexVariable* variable() const;
  /// Are all atoms variables?
  bool IsAffine() const;
  /// Of the term that is this variable itself; 0: there is none.
  std::int64_t FactorOf(int variable) const;
  /// Does the value of a variable matter, or of one of so many from it on?
  bool Uses(int variable, int count = 1) const;
  /// Quotients and remainders that Text() has.
  int NumQuotients() const;
  /// Where the variables have these values, by number. All others are 0.
  std::int64_t At(std::span<const std::int64_t> values) const;
  /// Adds the functions that Text() calls.
  void AddExtremes(IndexExtremes& called) const;
  /// As C++; no brackets around it.
  std::string Text(IndexOrder order = IndexOrder::kNames) const;

  /// Some order, in which indices of one form are equal.
  friend std::strong_ordering operator<=>(const Index& a, const Index& b);
  friend bool operator==(const Index& a, const Index& b) { return (a <=> b) == 0; }

 private:
  void Add(const Term& added);
  void Recombine();
  void FindRange();
  static Index Of(IndexAtom atom);
  /// What is left when all that `by` divides is taken out, which goes to `quotient`. Never
  /// negative.
  Index RestOf(std::int64_t by, Index& quotient) const;
  std::int64_t CommonFactor(std::int64_t by) const;
  Index DividedBy(std::int64_t factor) const;

  std::int64_t constant_ = 0;
  std::vector<Term> terms_;
  std::int64_t min_ = 0, max_ = 0;
};

/// What sums are made of. Immutable, and shared by those who have it.
struct IndexAtom {
  enum class Kind : std::uint8_t {
    kVariable,
    kDiv,     ///< of / by
    kMod,     ///< of % by
    kWithin,  ///< of, which is 0 to by - 1.
    kMin,     ///< The smaller of `of` and `other`.
    kMax,
    kChoice,  ///< of where the condition holds, else other.
  };
  Kind kind = Kind::kVariable;
  IndexVariable variable;
  Index of, other;
  std::shared_ptr<const Condition> condition;
  std::int64_t by = 1;
  std::int64_t min = 0, max = 0;
};

}  // namespace exh::kernels::ir
