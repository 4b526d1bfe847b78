// SPDX-License-Identifier: MIT
#include "search/descend/first.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "search/descend/patient_descent.h"

namespace exh::search {
namespace {

using runtime::Bits;
using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;

/// Takes the first of the values (sets of bits) that propagates.
void TakeFirst(const std::vector<Bits>& values, DecisionId decision, Candidate& state) {
  if (!state.IsOpen(decision)) return;
  for (const Bits value : values) {
    if ((state.domain(decision) & value) == 0) continue;
    Candidate child = state;
    if (child.Restrict(decision, value) != Propagation::kFixpoint) continue;
    state = std::move(child);
    return;
  }
}

/// False where the decision has none of the values.
bool TakeOne(const kernels::Wish& wish, Candidate& state) {
  std::vector<Bits> values;
  DecisionId decision = runtime::kNoDecision;
  std::string ignored;  // A name or a value that the space lacks.
  for (const std::string& value : wish.values) {
    const auto action =
        runtime::ParseAction(state.instance(), wish.decision + "=" + value, &ignored);
    if (!action) continue;
    decision = action->decision;
    values.push_back(action->values);
  }
  if (decision == runtime::kNoDecision || !state.IsLive(decision)) return true;
  TakeFirst(values, decision, state);
  return std::ranges::any_of(values,
                             [&](Bits value) { return (state.domain(decision) & ~value) == 0; });
}

/// Values of a choice by name; those of numbers differ from decision to decision.
void TakeAll(const kernels::Wish& wish, int choice, Candidate& state) {
  const runtime::Instance& instance = state.instance();
  for (DecisionId decision = instance.first_decision(choice);
       decision < instance.end_decision(choice); ++decision) {
    if (!state.IsOpen(decision)) continue;
    std::vector<Bits> values;
    for (const std::string& name : wish.values) {
      for (Bits rest = instance.all_values(decision); rest != 0; rest &= rest - 1) {
        const Bits value = rest & (~rest + 1);
        if (instance.ValueName(decision, std::countr_zero(value)) == name) values.push_back(value);
      }
    }
    TakeFirst(values, decision, state);
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
