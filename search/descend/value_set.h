// SPDX-License-Identifier: MIT
//
// Values of a decision: drawing one of those that are left, and sets of them. Of a decision that is
// not long all of this is about one word.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "runtime/candidate.h"

namespace exh::search {

namespace internal {

/// The value with so many others of the set before it; `word_of(word)` is a word of the set.
template <typename WordOf>
int ValueAt(std::size_t place, int words, const WordOf& word_of) {
  for (int word = 0; word < words; ++word) {
    runtime::Bits rest = word_of(word);
    const auto here = static_cast<std::size_t>(std::popcount(rest));
    if (place >= here) {
      place -= here;
      continue;
    }
    for (; place > 0; --place) rest &= rest - 1;
    return 64 * word + std::countr_zero(rest);
  }
  EXH_UNREACHABLE();
}

}  // namespace internal

/// A value that the decision may still take, each with the same probability.
inline int DrawValue(const runtime::Candidate& candidate, runtime::DecisionId decision,
                     Random& random) {
  const auto count = static_cast<std::size_t>(candidate.CountValues(decision));
  return internal::ValueAt(random.Below(count), candidate.instance().num_words(decision),
                           [&](int word) { return candidate.word(decision, word); });
}

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
  static ValueSet OfRoot(const runtime::Instance& instance, runtime::DecisionId decision) {
    ValueSet values;
    values.Assign(instance, instance.root(), decision);
    return values;
  }

  /// From now on all that the decision may take.
  void Assign(const runtime::Candidate& candidate, runtime::DecisionId decision) {
    Assign(candidate.instance(), candidate.state(), decision);
  }
  void Remove(int value) {
    words_[static_cast<std::size_t>(value / 64)] &= ~(runtime::Bits{1} << value % 64);
  }
  /// Removes all that the decision may take.
  void Remove(const runtime::Candidate& candidate, runtime::DecisionId decision) {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      words_[word] &= ~candidate.word(decision, static_cast<int>(word));
    }
  }

  bool empty() const {
    return std::ranges::all_of(words_, [](runtime::Bits word) { return word == 0; });
  }
  std::size_t size() const {
    std::size_t size = 0;
    for (const runtime::Bits word : words_) size += static_cast<std::size_t>(std::popcount(word));
    return size;
  }
  /// One of them, each with the same probability; there is one.
  int Draw(Random& random) const {
    return internal::ValueAt(random.Below(size()), static_cast<int>(words_.size()),
                             [&](int word) { return words_[static_cast<std::size_t>(word)]; });
  }
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
              runtime::DecisionId decision) {
    words_.resize(static_cast<std::size_t>(instance.num_words(decision)));
    runtime::Slot slot = instance.slot(decision);
    for (runtime::Bits& word : words_) word = state.domain(instance.layout(), slot++);
  }

  std::vector<runtime::Bits> words_;
};

}  // namespace exh::search
