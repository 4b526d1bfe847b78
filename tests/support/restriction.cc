// SPDX-License-Identifier: MIT
#include "tests/support/restriction.h"

#include <algorithm>

namespace exh::tests {

using runtime::Action;
using runtime::Bits;
using runtime::Candidate;
using runtime::DecisionId;
using runtime::Instance;

std::vector<Action> OneOf(const Instance& instance, DecisionId decision,
                          const std::vector<int>& values) {
  std::vector<Bits> words(static_cast<std::size_t>(instance.num_words(decision)), 0);
  for (const int value : values) words[value / 64] |= Bits{1} << value % 64;
  const int word = values.front() / 64;
  if (std::ranges::count(words, Bits{0}) + 1 == std::ssize(words)) {
    return {Action(decision, words[word], static_cast<std::uint16_t>(word))};
  }
  std::vector<Action> actions;
  for (std::size_t w = 0; w < words.size(); ++w) {
    actions.emplace_back(decision, words[w], static_cast<std::uint16_t>(w), /*keeps=*/true);
  }
  return actions;
}

std::vector<Action> RandomRestriction(const Candidate& candidate, DecisionId decision,
                                      std::mt19937_64& random) {
  std::vector<int> values;
  candidate.ForEachValue(decision, [&](int value) { values.push_back(value); });
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(random() % values.size());
  const int value = *at;
  if (values.size() > 4 && random() % 3 != 0) {
    switch (random() % 4) {
      case 0:
        return {Action::Take(decision, value)};
      case 1:
        return {Action::Leave(decision, value)};
      case 2:
        if (at != values.begin()) {
          return OneOf(candidate.instance(), decision, {values.begin(), at});
        }
        break;
      default:
        if (at != values.begin()) return OneOf(candidate.instance(), decision, {at, values.end()});
        break;
    }
  }
  std::vector<int> chosen;
  while (chosen.empty() || chosen.size() == values.size()) {
    chosen.clear();
    for (const int each : values) {
      if (random() % 2 == 0) chosen.push_back(each);
    }
    if (chosen.size() > 1 && random() % 2 == 0) chosen.erase(chosen.begin());
  }
  return OneOf(candidate.instance(), decision, chosen);
}

bool Allow(const std::vector<Action>& actions, int value) {
  return std::ranges::all_of(actions, [&](const Action& action) {
    if (value / 64 != action.word) return action.keeps_other_words;
    return (action.values >> value % 64 & 1) != 0;
  });
}

std::string DomainText(const Candidate& candidate, DecisionId decision) {
  const Instance& instance = candidate.instance();
  std::string text;
  for (int word = 0; word < instance.num_words(decision); ++word) {
    const Bits values = candidate.word(decision, word);
    if (values == 0) continue;
    text += (text.empty() ? "" : "|") + instance.ValuesText(decision, values, word);
  }
  return instance.DecisionName(decision) + "=" + text;
}

bool HasShrunk(const Candidate& before, const Candidate& after, DecisionId decision) {
  for (int word = 0; word < before.instance().num_words(decision); ++word) {
    if ((after.word(decision, word) & ~before.word(decision, word)) != 0) return false;
  }
  return true;
}

}  // namespace exh::tests
