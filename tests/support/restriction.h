// SPDX-License-Identifier: MIT
//
// What the drivers need of decisions of any number of values: which they may take, as text, and
// random restrictions of them.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "runtime/candidate.h"

namespace exh::tests {

/// The decision takes one of these values, at least one of them: one action, or one per word.
std::vector<runtime::Action> OneOf(const runtime::Instance& instance, runtime::DecisionId decision,
                                   const std::vector<int>& values);

/// Random values of an open decision, neither none nor all that are left. Of many values it is
/// mostly one that is taken or left, or those on one side of it.
std::vector<runtime::Action> RandomRestriction(const runtime::Candidate& candidate,
                                               runtime::DecisionId decision,
                                               std::mt19937_64& random);

/// Whether the actions, all of one decision, leave this value.
bool Allow(const std::vector<runtime::Action>& actions, int value);

/// "size(i0)=2|4", or a range of values.
std::string DomainText(const runtime::Candidate& candidate, runtime::DecisionId decision);

/// Each value that `after` leaves the decision was left by `before`.
bool HasShrunk(const runtime::Candidate& before, const runtime::Candidate& after,
               runtime::DecisionId decision);

}  // namespace exh::tests
