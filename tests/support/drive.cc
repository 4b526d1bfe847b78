// SPDX-License-Identifier: MIT
#include "tests/support/drive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "runtime/candidate.h"
#include "runtime/internal/rows/propagator.h"
#include "tests/support/oracle.h"
#include "tests/support/restriction.h"

namespace exh::tests {
namespace {

using runtime::Action;
using runtime::Candidate;
using runtime::DecisionId;
using runtime::Instance;
using runtime::Membership;
using runtime::Propagation;
using Solution = Oracle::Solution;

class Drive {
 public:
  Drive(const TestSpace& test, std::uint64_t seed)
      : test_(test), oracle_(test.space, test.host), random_(seed) {}

  DriveResult Run(int num_descents, const runtime::FreezeOptions& options) {
    const auto instance = Instance::Freeze(test_.space, test_.host, options);
    solutions_ = oracle_.Solve();
    result_.solutions = solutions_.size();
    MapDecisions(*instance);
    std::vector<const Solution*> all;
    for (const Solution& solution : solutions_) all.push_back(&solution);
    if (instance->root_result() == Propagation::kDeadEnd) {
      EXPECT_TRUE(all.empty()) << "the root lost every implementation: "
                               << OriginText(test_.space, instance->root_conflict().origin);
      return result_;
    }
    const Candidate root(instance);
    CheckContains(root, all);
    CheckNothingLeft(root);
    for (int i = 0; i < num_descents && !testing::Test::HasFailure(); ++i) Descend(root, all);
    return result_;
  }

 private:
  void MapDecisions(const Instance& instance) {
    ASSERT_EQ(instance.num_decisions(), oracle_.decisions().size());
    for (const Oracle::Decision& decision : oracle_.decisions()) {
      const auto found = instance.FindDecision(decision.choice, decision.objects);
      ASSERT_TRUE(found.has_value() && !found->swapped);
      ids_.push_back(found->id);
    }
  }

  std::string Text(const Candidate& candidate) const {
    std::string text;
    for (DecisionId d = 0; d < candidate.instance().num_decisions(); ++d) {
      text += DomainText(candidate, d);
      text += candidate.IsLive(d) ? "\n" : " (absent)\n";
    }
    return text;
  }

  void CheckContains(const Candidate& candidate, const std::vector<const Solution*>& solutions) {
    for (const Solution* solution : solutions) {
      for (std::size_t d = 0; d < ids_.size(); ++d) {
        const int value = solution->values[d];
        const std::string name = candidate.instance().DecisionName(ids_[d]);
        if (value == Oracle::kAbsent) {
          ASSERT_FALSE(candidate.IsLive(ids_[d])) << name << " is not live in an implementation";
        } else {
          ASSERT_TRUE(candidate.MayTake(ids_[d], value))
              << name << " lost " << candidate.instance().ValueName(ids_[d], value) << "\n"
              << Text(candidate);
        }
      }
      for (const auto& [key, is_member] : solution->members) {
        const Membership membership =
            candidate.membership(key.first, key.second.parameter, key.second.object);
        ASSERT_NE(membership, is_member ? Membership::kExcluded : Membership::kCertain)
            << "member " << key.second.object << " of set " << key.first;
      }
      for (const auto& [key, value] : solution->counters) {
        const runtime::Interval counted = candidate.counter(key.first, key.second);
        ASSERT_TRUE(counted.Contains(Shown(key, value)))
            << test_.space.choices[key.first].name << " is " << value << ", not in " << counted.min
            << " … " << counted.max;
      }
    }
  }

  /// What a candidate shows of a counter that begins below 0 is above its base.
  std::uint64_t Shown(const std::pair<int, Oracle::Tuple>& counter, Oracle::Count value) const {
    const Oracle::Count base = oracle_.Base(counter.first, counter.second);
    return static_cast<std::uint64_t>(value - std::min<Oracle::Count>(base, 0));
  }

  /// Running every constraint once more changes nothing: no wake-up was missed.
  void CheckNothingLeft(const Candidate& candidate) {
    runtime::State state = candidate.state();
    runtime::Conflict conflict;
    const Propagation result =
        runtime::internal::Propagator(candidate.instance(), &state, &conflict).PropagateAll();
    ASSERT_EQ(result, Propagation::kFixpoint);
    const auto& layout = candidate.instance().layout();
    for (runtime::Slot slot = 0; slot < layout.num_slots(); ++slot) {
      EXPECT_EQ(state.domain(layout, slot), candidate.state().domain(layout, slot))
          << "slot " << slot << "\n"
          << Text(candidate);
    }
    for (std::uint32_t counter = 0; counter < layout.num_counters; ++counter) {
      const auto here = candidate.state().counter(layout, counter);
      EXPECT_EQ(state.counter(layout, counter), here)
          << "counter " << counter << " [" << here.min << ", " << here.max << "]\n"
          << Text(candidate);
    }
    ASSERT_EQ(state, candidate.state());
  }

  void CheckShrunk(const Candidate& before, const Candidate& after) {
    for (DecisionId d = 0; d < before.instance().num_decisions(); ++d) {
      ASSERT_TRUE(HasShrunk(before, after, d)) << DomainText(after, d);
      ASSERT_TRUE(after.IsLive(d) || !before.IsLive(d));
    }
  }

  /// Actions of one decision; none: nothing is open.
  std::vector<Action> RandomActions(const Candidate& candidate) {
    std::vector<DecisionId> open;
    for (std::size_t c = 0; c < test_.space.choices.size(); ++c) {
      candidate.ListOpen(static_cast<int>(c), &open);
    }
    if (open.empty()) return {};
    return RandomRestriction(candidate, open[random_() % open.size()], random_);
  }

  std::string Text(const Instance& instance, const std::vector<Action>& actions) const {
    std::string text;
    for (const Action& action : actions) text += ActionText(instance, action) + " ";
    return text;
  }

  void Descend(const Candidate& root, std::vector<const Solution*> alive) {
    ++result_.descents;
    Candidate candidate = root;
    std::vector<Action> actions;
    while (!testing::Test::HasFatalFailure()) {
      const std::vector<Action> step = RandomActions(candidate);
      if (step.empty()) break;
      actions.insert(actions.end(), step.begin(), step.end());
      const Candidate before = candidate;
      const runtime::State bytes = before.state();
      const Propagation result = candidate.Restrict(step);
      ASSERT_EQ(before.state(), bytes) << "a copy changed";
      std::erase_if(alive, [&](const Solution* solution) {
        const auto d = std::ranges::find(ids_, step.front().decision) - ids_.begin();
        return solution->values[d] == Oracle::kAbsent || !Allow(step, solution->values[d]);
      });
      if (result == Propagation::kDeadEnd) {
        ++result_.dead_ends;
        ASSERT_TRUE(alive.empty()) << Text(before.instance(), step) << "lost " << alive.size()
                                   << " implementations, blaming "
                                   << OriginText(test_.space, candidate.conflict().origin) << "\n"
                                   << Text(before);
        CheckOtherOrders(root, nullptr, actions);
        return;
      }
      CheckContains(candidate, alive);
      CheckShrunk(before, candidate);
      CheckNothingLeft(candidate);
      Candidate again = candidate;
      ASSERT_EQ(again.Restrict(step), Propagation::kFixpoint);
      ASSERT_EQ(again.state(), candidate.state()) << "not idempotent";
      if (testing::Test::HasFatalFailure()) return;
    }
    ++result_.implementations;
    ASSERT_TRUE(candidate.IsImplementation()) << Text(candidate);
    ASSERT_EQ(alive.size(), 1u) << "accepted an illegal implementation\n" << Text(candidate);
    for (const auto& [key, value] : alive.front()->counters) {
      const runtime::Interval counted = candidate.counter(key.first, key.second);
      ASSERT_TRUE(counted.IsConstrained() && counted.Contains(Shown(key, value)))
          << test_.space.choices[key.first].name << " is " << value << ", not " << counted.min
          << " … " << counted.max;
    }
    CheckOtherOrders(root, &candidate, actions);
  }

  /// The same actions in other orders, and all at once. `expected` null: a dead end.
  void CheckOtherOrders(const Candidate& root, const Candidate* expected,
                        std::vector<Action> actions) {
    for (int order = 0; order < 3; ++order) {
      Candidate candidate = root;
      Propagation result = Propagation::kFixpoint;
      if (order == 0) {
        result = candidate.Restrict(actions);
      } else {
        std::ranges::shuffle(actions, random_);
        for (const Action& action : actions) {
          result = candidate.Restrict(action);
          if (result == Propagation::kDeadEnd) break;
        }
      }
      ASSERT_EQ(result, expected == nullptr ? Propagation::kDeadEnd : Propagation::kFixpoint)
          << "depends on the order of decisions";
      if (expected != nullptr) {
        ASSERT_EQ(candidate.state(), expected->state());
      }
    }
  }

  const TestSpace& test_;
  Oracle oracle_;
  std::mt19937_64 random_;
  std::vector<Solution> solutions_;
  std::vector<DecisionId> ids_;  // By decision of the oracle.
  DriveResult result_;
};

}  // namespace

DriveResult DriveAgainstOracle(const TestSpace& test, const std::string& name, std::uint64_t seed,
                               int num_descents, const runtime::FreezeOptions& options) {
  SCOPED_TRACE(name + ", seed " + std::to_string(seed));
  return Drive(test, seed).Run(num_descents, options);
}

}  // namespace exh::tests
