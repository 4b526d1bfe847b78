// SPDX-License-Identifier: MIT
#include "tests/support_spec/drive_spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tests/support/restriction.h"

namespace exh::tests {
namespace {

using runtime::Action;
using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;
using Solution = SpecOracle::Solution;

class Driver {
 public:
  Driver(const runtime::Space& space, const runtime::Host& host, const dsl::Spec& spec,
         const SpecWorld& world, const std::function<void(const Candidate&)>& check,
         std::uint64_t seed)
      : spec_(spec),
        oracle_(spec, world),
        check_(check),
        random_(seed),
        instance_(runtime::Instance::Freeze(space, host)) {}

  SpecDriveResult Run(int num_descents) {
    for (const Solution& solution : oracle_.Solve()) solutions_.insert(solution);
    result_.solutions = solutions_.size();
    result_.root_is_dead = instance_->root_result() == Propagation::kDeadEnd;
    MapDecisions();
    if (result_.root_is_dead) {
      EXPECT_TRUE(solutions_.empty()) << "the root lost every implementation";
      return result_;
    }
    const Candidate root(instance_);
    CheckFixpoint(root, {solutions_.begin(), solutions_.end()});
    for (int i = 0; i < num_descents && !testing::Test::HasFailure(); ++i) Descend(root);
    return result_;
  }

 private:
  void MapDecisions() {
    ASSERT_EQ(instance_->num_decisions(), oracle_.decisions().size());
    for (const SpecOracle::Decision& decision : oracle_.decisions()) {
      const std::vector<runtime::Object> objects(decision.objects.begin(), decision.objects.end());
      const auto found = instance_->FindDecision(decision.choice, objects);
      ASSERT_TRUE(found.has_value() && !found->swapped);
      ids_.push_back(found->id);
      numbers_[found->id] = ids_.size() - 1;
      const auto universe = instance_->universe(found->id);
      EXPECT_EQ(std::vector<std::uint32_t>(universe.begin(), universe.end()), decision.universe);
    }
  }

  /// Nothing that can still become an implementation is excluded.
  void CheckFixpoint(const Candidate& candidate, const std::vector<Solution>& alive) {
    for (const Solution& solution : alive) {
      for (std::size_t d = 0; d < ids_.size(); ++d) {
        const std::string name = instance_->DecisionName(ids_[d]);
        if (solution[d] == SpecOracle::kAbsent) {
          ASSERT_FALSE(candidate.IsLive(ids_[d])) << name;
        } else {
          ASSERT_TRUE(candidate.MayTake(ids_[d], solution[d]))
              << name << " lost " << instance_->ValueName(ids_[d], solution[d]);
        }
      }
    }
    check_(candidate);
  }

  Solution Values(const Candidate& candidate) const {
    Solution values;
    for (const DecisionId id : ids_) {
      values.push_back(candidate.IsLive(id) ? candidate.FirstValue(id) : SpecOracle::kAbsent);
    }
    return values;
  }

  void CheckCounters(const Candidate& candidate, const Solution& solution) {
    for (std::size_t c = 0; c < spec_.choices.size(); ++c) {
      const dsl::Choice& choice = spec_.choices[c];
      if (choice.kind != dsl::ChoiceKind::kCounter) continue;
      for (const SpecOracle::Tuple& tuple : oracle_.Tuples(choice.arguments)) {
        if (!oracle_.AreMembers(solution, choice.arguments, tuple)) continue;
        const std::vector<runtime::Object> objects(tuple.begin(), tuple.end());
        const runtime::Interval counted = candidate.counter(static_cast<int>(c), objects);
        const std::int64_t value = oracle_.Counter(solution, static_cast<int>(c), tuple);
        // What a candidate shows of a counter that begins below 0 is above its base.
        const std::int64_t base = oracle_.Base(static_cast<int>(c), tuple);
        ASSERT_TRUE(
            counted.Contains(static_cast<std::uint64_t>(value - std::min<std::int64_t>(base, 0))))
            << choice.name << " is in " << counted.min << " … " << counted.max;
      }
    }
  }

  /// Actions of one decision; none: nothing is open.
  std::vector<Action> RandomActions(const Candidate& candidate) {
    std::vector<DecisionId> open;
    for (const DecisionId id : ids_) {
      if (candidate.IsOpen(id)) open.push_back(id);
    }
    if (open.empty()) return {};
    return RandomRestriction(candidate, open[random_() % open.size()], random_);
  }

  void Descend(const Candidate& root) {
    Candidate candidate = root;
    std::vector<Solution> alive(solutions_.begin(), solutions_.end());
    std::vector<Action> actions;
    while (true) {
      const std::vector<Action> step = RandomActions(candidate);
      if (step.empty()) break;
      const Candidate before = candidate;
      const runtime::State bytes = before.state();
      actions.insert(actions.end(), step.begin(), step.end());
      const Propagation result = candidate.Restrict(step);
      ASSERT_EQ(before.state(), bytes) << "restricting a copy changed the original";
      const std::size_t d = numbers_.at(step.front().decision);
      std::erase_if(alive, [&](const Solution& solution) {
        return solution[d] == SpecOracle::kAbsent || !Allow(step, solution[d]);
      });
      if (result == Propagation::kDeadEnd) {
        ++result_.dead_ends;
        ASSERT_TRUE(alive.empty()) << DomainText(before, step.front().decision) << " lost "
                                   << alive.size() << " implementations";
        CheckOtherOrder(root, actions, nullptr);
        return;
      }
      CheckFixpoint(candidate, alive);
      if (testing::Test::HasFatalFailure()) return;
    }
    ++result_.implementations;
    ASSERT_TRUE(candidate.IsImplementation());
    const Solution values = Values(candidate);
    ASSERT_TRUE(solutions_.contains(values)) << "an illegal implementation was accepted";
    CheckCounters(candidate, values);
    CheckOtherOrder(root, actions, &candidate);
  }

  /// The same actions in another order; null: they end in a dead end.
  void CheckOtherOrder(const Candidate& root, std::vector<Action> actions,
                       const Candidate* expected) {
    std::shuffle(actions.begin(), actions.end(), random_);
    Candidate candidate = root;
    for (bool again = true; again && !actions.empty();) {
      again = false;
      for (std::size_t i = 0; i < actions.size(); ++i) {
        if (!candidate.IsLive(actions[i].decision)) continue;
        const Propagation result = candidate.Restrict(actions[i]);
        if (result == Propagation::kDeadEnd) {
          ASSERT_EQ(expected, nullptr) << "a dead end in one order only";
          return;
        }
        actions.erase(actions.begin() + static_cast<std::ptrdiff_t>(i));
        again = true;
        break;
      }
    }
    // What is left concerns objects that did not appear: possible only in a dead end.
    if (expected == nullptr) {
      ASSERT_FALSE(actions.empty()) << "a dead end in one order only";
      return;
    }
    ASSERT_EQ(candidate.state(), expected->state()) << "another order, another fixpoint";
  }

  const dsl::Spec& spec_;
  SpecOracle oracle_;
  const std::function<void(const Candidate&)>& check_;
  std::mt19937_64 random_;
  std::shared_ptr<const runtime::Instance> instance_;
  std::set<Solution> solutions_;
  std::vector<DecisionId> ids_;  // By decision of the oracle.
  std::map<DecisionId, std::size_t> numbers_;
  SpecDriveResult result_;
};

}  // namespace

SpecDriveResult DriveGenerated(const runtime::Space& space, const runtime::Host& host,
                               const dsl::Spec& spec, const SpecWorld& world,
                               const std::function<void(const Candidate&)>& check,
                               std::uint64_t seed, int num_descents) {
  SCOPED_TRACE("space " + space.name + ", seed " + std::to_string(seed));
  return Driver(space, host, spec, world, check, seed).Run(num_descents);
}

}  // namespace exh::tests
