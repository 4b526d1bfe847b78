// SPDX-License-Identifier: MIT
//
// Values of a decision: drawing one of those that are left, and sets of them. Of a decision that is
// not long all of this is about one word.
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

#include "base/random.h"
#include "runtime/candidate.h"

namespace exh::search {

/// A value that the decision may still take, each with the same probability.
int DrawValue(const runtime::Candidate& candidate, runtime::DecisionId decision, Random& random);

/// The only value that the decision may take in both candidates of one instance; -1: there are
/// several, or none.
inline int OnlyCommonValue(const runtime::Candidate& a, const runtime::Candidate& b,
                           runtime::DecisionId decision) {
  int only = -1;
  const int words = a.instance().num_words(decision);
  for (int word = 0; word < words; ++word) {
    const runtime::Bits common = a.word(decision, word) & b.word(decision, word);
    if (common == 0) continue;
    if (only >= 0 || !std::has_single_bit(common)) return -1;
    only = 64 * word + std::countr_zero(common);
  }
  return only;
}

/// Some values of one decision.
class ValueSet {
 public:
  /// None.
  ValueSet() = default;
  /// All that the decision may take at the root.
  static ValueSet OfRoot(const runtime::Instance& instance, runtime::DecisionId decision);

  /// From now on all that the decision may take.
  void Assign(const runtime::Candidate& candidate, runtime::DecisionId decision) {
    Assign(candidate.instance(), candidate.state(), decision);
  }
  void Remove(int value) {
    words_[static_cast<std::size_t>(value / 64)] &= ~(runtime::Bits{1} << value % 64);
  }
  /// Removes all that the decision may take.
  void Remove(const runtime::Candidate& candidate, runtime::DecisionId decision);

  bool empty() const;
  std::size_t size() const;
  /// One of them, each with the same probability; there is one.
  int Draw(Random& random) const;
  /// Calls visit(value) for each, in ascending order.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      for (runtime::Bits rest = words_[word]; rest != 0; rest &= rest - 1) {
        visit(static_cast<int>(64 * word) + std::countr_zero(rest));
      }
    }
  }

 private:
  void Assign(const runtime::Instance& instance, const runtime::State& state,
              runtime::DecisionId decision);

  std::vector<runtime::Bits> words_;
};

}  // namespace exh::search
