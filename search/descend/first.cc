// SPDX-License-Identifier: MIT
#include "search/descend/first.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "search/descend/patient_descent.h"

namespace exh::search {
namespace {

using runtime::Action;
using runtime::Bits;
using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;

/// May the decision take a value inside (or outside) of what the action leaves? Actions keep no
/// other words.
bool MayBeIn(const Candidate& state, const Action& action, bool inside) {
  const int words = state.instance().num_words(action.decision);
  for (int word = 0; word < words; ++word) {
    const Bits left = word == action.word ? action.values : 0;
    if ((state.word(action.decision, word) & (inside ? left : ~left)) != 0) return true;
  }
  return false;
}

/// Takes the first of the values, of one decision, that propagates.
void TakeFirst(const std::vector<Action>& values, Candidate& state) {
  if (values.empty() || !state.IsOpen(values.front().decision)) return;
  for (const Action& value : values) {
    if (!MayBeIn(state, value, true)) continue;
    Candidate child = state;
    if (child.Restrict(value) != Propagation::kFixpoint) continue;
    state = std::move(child);
    return;
  }
}

/// False where the decision has none of the values.
bool TakeOne(const kernels::Wish& wish, Candidate& state) {
  std::vector<Action> values;
  std::string ignored;  // A name or a value that the space lacks.
  for (const std::string& value : wish.values) {
    const auto action =
        runtime::ParseAction(state.instance(), wish.decision + "=" + value, &ignored);
    if (action) values.push_back(*action);
  }
  if (values.empty() || !state.IsLive(values.front().decision)) return true;
  TakeFirst(values, state);
  return std::ranges::any_of(values,
                             [&](const Action& value) { return !MayBeIn(state, value, false); });
}

/// Values of a choice by name; those of numbers differ from decision to decision.
void TakeAll(const kernels::Wish& wish, int choice, Candidate& state) {
  const runtime::Instance& instance = state.instance();
  for (DecisionId decision = instance.first_decision(choice);
       decision < instance.end_decision(choice); ++decision) {
    if (!state.IsOpen(decision)) continue;
    std::vector<Action> values;
    for (const std::string& name : wish.values) {
      for (int value = 0; value < instance.num_values(decision); ++value) {
        if (instance.ValueName(decision, value) != name) continue;
        values.push_back(Action::Take(decision, value));
      }
    }
    TakeFirst(values, state);
  }
}

}  // namespace

Followed Follow(const kernels::Recipe& recipe, const Candidate& root, const ChoiceOrder& order) {
  Candidate state = root;
  Followed followed;
  for (const kernels::Wish& wish : recipe.wishes) {
    if (wish.decision.find('(') != std::string::npos) {
      if (!TakeOne(wish, state) && followed.missed.empty()) followed.missed = wish.decision;
    } else if (const int choice = state.instance().FindChoice(wish.decision); choice >= 0) {
      TakeAll(wish, choice, state);
    }
  }
  constexpr std::uint64_t kSeed = 1;
  Random random(kSeed);
  Guide uniform;
  const PatientDescent descent =
      DescendPatiently(state, order, Patience(), random, uniform, [](const DeadEnd&) {});
  if (descent.result == DescentResult::kImplementation) {
    followed.implementation = descent.descender.candidate();
  }
  return followed;
}

}  // namespace exh::search
