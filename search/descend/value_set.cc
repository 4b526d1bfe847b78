// SPDX-License-Identifier: MIT
#include "search/descend/value_set.h"

#include <algorithm>

#include "base/check.h"

namespace exh::search {
namespace {

using runtime::Bits;
using runtime::Candidate;
using runtime::DecisionId;
using runtime::Instance;

/// The value with so many others of the set before it; `word_of` gives its words.
template <typename WordOf>
int ValueAt(std::size_t place, int words, const WordOf& word_of) {
  for (int word = 0; word < words; ++word) {
    Bits rest = word_of(word);
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

}  // namespace

int DrawValue(const Candidate& candidate, DecisionId decision, Random& random) {
  const auto count = static_cast<std::size_t>(candidate.CountValues(decision));
  return ValueAt(random.Below(count), candidate.instance().num_words(decision),
                 [&](int word) { return candidate.word(decision, word); });
}

ValueSet ValueSet::OfRoot(const Instance& instance, DecisionId decision) {
  ValueSet values;
  values.Assign(instance, instance.root(), decision);
  return values;
}

void ValueSet::Assign(const Instance& instance, const runtime::State& state, DecisionId decision) {
  words_.resize(static_cast<std::size_t>(instance.num_words(decision)));
  runtime::Slot slot = instance.slot(decision);
  for (Bits& word : words_) word = state.domain(instance.layout(), slot++);
}

void ValueSet::Remove(const Candidate& candidate, DecisionId decision) {
  for (std::size_t word = 0; word < words_.size(); ++word) {
    words_[word] &= ~candidate.word(decision, static_cast<int>(word));
  }
}

bool ValueSet::empty() const {
  return std::ranges::all_of(words_, [](Bits word) { return word == 0; });
}

std::size_t ValueSet::size() const {
  std::size_t size = 0;
  for (const Bits word : words_) size += static_cast<std::size_t>(std::popcount(word));
  return size;
}

int ValueSet::Draw(Random& random) const {
  return ValueAt(random.Below(size()), static_cast<int>(words_.size()),
                 [&](int word) { return words_[static_cast<std::size_t>(word)]; });
}

}  // namespace exh::search
