// SPDX-License-Identifier: MIT
//
// Combinations of the values of a few parameters: tried one after the other, and written out as
// formulas of `.exh`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "search/exchange/exh_formula.h"

namespace exh::search {

/// `a() is 1 | 2`, or with `is not` where that is shorter. Some are allowed, and some are not.
std::string ValueTest(const ParameterChoice& choice, const std::vector<bool>& allowed);

class ValueTuples {
 public:
  static constexpr std::uint64_t kMostTried = 1 << 22;

  ValueTuples(const std::vector<ParameterChoice>& choices, std::vector<int> variables);

  /// Not more than kMostTried.
  std::uint64_t count() const { return count_; }
  bool can_be_tried() const { return count_ < kMostTried; }

  /// Puts all combinations in `values`, one after the other, as long as `visit()` is true. False:
  /// it was false.
  template <typename Visit>
  bool All(std::vector<PythonValue>& values, const Visit& visit) const {
    std::vector<std::size_t> at(variables_.size());
    for (std::size_t i = 0; i < at.size(); ++i) Put(values, i, 0);
    while (true) {
      if (!visit()) return false;
      std::size_t i = 0;
      for (; i < at.size(); ++i) {
        if (++at[i] < Size(i)) break;
        at[i] = 0;
        Put(values, i, 0);
      }
      if (i == at.size()) return true;
      Put(values, i, at[i]);
    }
  }

 private:
  const ParameterChoice& Choice(std::size_t i) const {
    return choices_[static_cast<std::size_t>(variables_[i])];
  }
  std::size_t Size(std::size_t i) const { return Choice(i).values.size(); }
  void Put(std::vector<PythonValue>& values, std::size_t i, std::size_t which) const {
    values[static_cast<std::size_t>(variables_[i])] = Choice(i).values[which];
  }

  const std::vector<ParameterChoice>& choices_;
  std::vector<int> variables_;
  std::uint64_t count_ = 1;
};

/// Formulas, each a disjunction, that hold together exactly where `allowed` does. Throws UsageError
/// when there are too many combinations, or too many formulas.
std::vector<std::string> TableClauses(
    const std::vector<ParameterChoice>& choices, std::vector<int> variables,
    const std::function<bool(std::vector<PythonValue>&)>& allowed);

}  // namespace exh::search
