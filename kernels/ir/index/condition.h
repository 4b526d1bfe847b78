// SPDX-License-Identifier: MIT
//
// Condition: comparisons of indices, such as what must hold for a loop to go on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/ir/index/index.h"

namespace exh::kernels::ir {

enum class Relation : std::uint8_t { kLess, kAtMost, kEqual, kAtLeast, kGreater };

class Condition {
 public:
  enum class Kind : std::uint8_t { kComparison, kAll, kAny, kNot };

  /// Always holds.
  Condition() = default;
  Condition(Index left, Relation relation, Index right);
  /// A variable is a number.
  static Condition Is(const IndexVariable& variable, std::int64_t number) {
    return {Index(variable), Relation::kEqual, number};
  }

  friend Condition operator&&(const Condition& a, const Condition& b) {
    return Joined(Kind::kAll, a, b);
  }
  friend Condition operator||(const Condition& a, const Condition& b) {
    return Joined(Kind::kAny, a, b);
  }
  friend Condition operator!(const Condition& a);
  /// Without one of the conditions that must all hold; nothing: it is none of them.
  std::optional<Condition> Without(const Condition& part) const;
  /// With indices for variables: for `first` and those numbered behind it.
  Condition With(int first, std::span<const Index> values) const;
  Condition With(int variable, const Index& value) const { return With(variable, {&value, 1}); }

  Kind kind() const { return kind_; }
  /// No condition at all.
  bool always() const { return kind_ == Kind::kAll && parts_.empty(); }
  /// The last value of a variable for which it holds, where it is one comparison with the variable
  /// on its left that says so.
  std::optional<Index> Last(int variable) const;
  /// No value of the variable is larger where it holds, if such comparisons say so.
  std::optional<std::int64_t> Most(int variable) const;
  bool Uses(int variable, int count = 1) const;
  /// Where the variables have these values, by number. All others are 0.
  bool HoldsAt(std::span<const std::int64_t> values) const;
  int NumQuotients() const;
  /// Adds the functions that Text() calls.
  void AddExtremes(IndexExtremes& called) const;
  /// As C++; no brackets around it.
  std::string Text(IndexOrder order = IndexOrder::kNames) const;

  friend std::strong_ordering operator<=>(const Condition& a, const Condition& b);
  friend bool operator==(const Condition& a, const Condition& b) { return (a <=> b) == 0; }

 private:
  static Condition Joined(Kind kind, const Condition& a, const Condition& b);

  Kind kind_ = Kind::kAll;
  Relation relation_ = Relation::kEqual;
  Index left_, right_;            ///< Of a comparison.
  std::vector<Condition> parts_;  ///< Of all others: none of them has this kind, but for kNot.
};

}  // namespace exh::kernels::ir
