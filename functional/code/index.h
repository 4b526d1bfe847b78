// SPDX-License-Identifier: MIT
//
// Index: where an element of an array lies, as a sum of whole multiples of *atoms* and a constant.
// An atom is a variable of a loop, a quotient, a remainder, or another sum that is known to be in
// an array. Sums are kept in one form, so that equal ones have equal texts: a quotient by n takes
// out what n divides, its rest is left out where bounds say that it is 0, and n * (x / n) + x % n
// is x again. So what split and join do to each other costs nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace exh::functional {

struct IndexAtom;
using IndexAtomPtr = std::shared_ptr<const IndexAtom>;

class Index {
 public:
  Index() = default;
  Index(std::int64_t constant) : constant_(constant), min_(constant), max_(constant) {}  // NOLINT
  /// `name` is 0 to extent - 1.
  static Index Variable(const std::string& name, std::int64_t extent);

  friend Index operator+(const Index& a, const Index& b);
  friend Index operator*(const Index& a, std::int64_t factor);

  /// Rounded down. `by` is positive.
  Index Div(std::int64_t by) const;
  Index Mod(std::int64_t by) const;
  /// The same, where something else has made sure that it is 0 to extent - 1.
  Index Within(std::int64_t extent) const;

  std::int64_t min() const { return min_; }
  std::int64_t max() const { return max_; }
  bool is_variable() const;
  /// Does the value of a variable matter?
  bool Uses(const std::string& variable) const;
  /// Where the variables have these values.
  std::int64_t ValueAt(const std::function<std::int64_t(const std::string&)>& variable) const;
  /// As C++; no brackets around it.
  std::string Text() const;

 private:
  struct Term {
    IndexAtomPtr atom;
    std::int64_t factor = 0;
  };
  void Add(const IndexAtomPtr& atom, std::int64_t factor);
  void Recombine();
  void FindBounds();
  static Index Of(const IndexAtomPtr& atom);
  /// What is left when everything that `by` divides is taken out, which goes to `quotient`.
  Index RestOf(std::int64_t by, Index& quotient) const;
  std::int64_t CommonFactor(std::int64_t by) const;
  Index DividedBy(std::int64_t factor) const;

  std::int64_t constant_ = 0;
  std::vector<Term> terms_;  ///< Ascending by the texts of their atoms; no factor is 0.
  std::int64_t min_ = 0, max_ = 0;
};

}  // namespace exh::functional
