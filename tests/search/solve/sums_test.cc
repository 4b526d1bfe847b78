// SPDX-License-Identifier: MIT
//
// Objectives that are sums over decisions: branch and bound against trying everything, and the
// bound by prices against what is there. This program counts its allocations: a search makes none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "load/load.h"
#include "runtime/objective/grounded_term.h"
#include "search/solve/branch_and_bound.h"
#include "search/solve/separable.h"
#include "search/solve/solver.h"

namespace {

std::atomic<std::size_t> allocations{0};

[[gnu::noinline]] void* Allocate(std::size_t size) {
  ++allocations;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

[[gnu::noinline]] void Free(void* memory) {
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return Allocate(size);
}
void operator delete(void* memory) noexcept {
  Free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  Free(memory);
}

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Instance;
using runtime::Propagation;

std::shared_ptr<const Instance> Loaded(const std::string& text) {
  dsl::DiagnosticSink sink;
  const auto loaded = load::LoadText("t.exh", text, sink);
  EXPECT_TRUE(loaded) << dsl::RenderText(sink);
  return load::Freeze(*loaded);
}

runtime::GroundedTerm ObjectiveOf(const Instance& instance) {
  const runtime::SpaceObjective& objective = *instance.space().objective;
  return {instance, objective.term, objective.text};
}

constexpr const char* kObjectives[] = {
    "worth()",
    "worth() - extra() * 2",
    "weight() + carried()",
    "worth() * 2 - weight()",
    "carried() * 3 + extra() + held()",
    "worth() + pairs()",
    "counted() - weight()",
    "-(worth() - 7) - extra()",
    "max(worth(), weight())",
    "worth() * extra()",
};
constexpr const char* kRequirements[] = {
    "require weight() <= 5",
    "require weight() >= 4",
    "require carried() >= 3",
    "require weight() + carried() + extra() * 2 <= 12",
    "require counted() <= 7",
    "require counted() >= 5",
    "require worth() <= 6 || extra() >= 3",
    "require forall $i in Items: place($i) is BAG => count($i) <= 1",
    "require forall $a < $b in Items: place($a) is not BOX || place($b) is not BOX",
    "require extra() * 3 >= weight() - 8",
    "require held() <= 9",
};

std::string RandomSpace(std::uint64_t seed) {
  Random random(seed);
  const auto number = [&](std::size_t below) { return static_cast<int>(random.Below(below)); };
  std::string text = fmt::format(R"(
set Items = 1 .. {}
choice enum place($i in Items): value HOME: value BAG: value BOX: end
choice integer count($i in Items): 0 .. 2 end
choice integer extra(): 0 .. 5 end
choice counter weight():
  forall $i in Items: sum $i * {} % {} + 1 when: place($i) is BAG
end
choice counter carried():
  forall $i in Items: sum count($i) * ($i * {} % 3 + 1) when: true
end
choice counter worth():
  base -3
  forall $i in Items: sum $i * {} % {} + 2 when: place($i) is BAG | BOX
end
choice counter counted(): forall $i in Items: sum count($i) * count($i) + 1 when: true end
choice counter held(): sum carried() when: true end
choice counter pairs():
  forall $a in Items: forall $b in Items: sum 1 when: place($a) is BAG && place($b) is BOX
end
)",
                                 2 + number(2), 1 + number(7), 2 + number(7), number(5),
                                 1 + number(7), 2 + number(7));
  for (const char* const each : kRequirements) {
    if (random.Below(3) == 0) text += fmt::format("{}\n", each);
  }
  return text + fmt::format("{} {}\n", random.Below(2) == 0 ? "minimize" : "maximize",
                            kObjectives[random.Below(std::size(kObjectives))]);
}

std::optional<std::int64_t> BruteForce(const std::shared_ptr<const Instance>& instance) {
  const runtime::GroundedTerm objective = ObjectiveOf(*instance);
  const bool maximize = instance->space().objective->maximize;
  const ChoiceOrder order = ChoiceOrder::Default(*instance);
  std::optional<std::int64_t> best;
  Solver(*instance, order).Run(Candidate(instance), [&](const Candidate& solution) {
    const std::int64_t value = objective.Over(solution).min;
    if (!best || (maximize ? value > *best : value < *best)) best = value;
    return true;
  });
  return best;
}

/// At some nodes below the root: nothing of the node is more than the bound, and what Narrow()
/// rules out has no solution that is wanted.
void CheckBound(const std::shared_ptr<const Instance>& instance, Random& random) {
  const runtime::GroundedTerm objective = ObjectiveOf(*instance);
  const bool maximize = instance->space().objective->maximize;
  auto bound = SeparableBound::Of(*instance, objective, maximize);
  if (!bound) return;
  const ChoiceOrder order = ChoiceOrder::Default(*instance);
  Candidate node(instance);
  bound->Begin(node);
  for (int depth = 0; depth < 3; ++depth) {
    std::vector<std::int64_t> values;
    std::vector<Candidate> solutions;
    Solver(*instance, order).Run(node, [&](const Candidate& solution) {
      const std::int64_t value = objective.Over(solution).min;
      values.push_back(maximize ? value : -value);
      solutions.push_back(solution);
      return solutions.size() < 3000;
    });
    if (values.empty()) return;
    const std::int64_t best = *std::ranges::max_element(values);
    ASSERT_GE(bound->Most(node), best);
    const std::int64_t wanted = best - static_cast<std::int64_t>(random.Below(4));
    std::vector<runtime::Action> actions;
    ASSERT_TRUE(bound->Narrow(node, wanted, &actions));
    for (std::size_t i = 0; i < solutions.size(); ++i) {
      if (values[i] < wanted) continue;
      for (const runtime::Action& action : actions) {
        ASSERT_NE(solutions[i].domain(action.decision) & action.values, 0u);
      }
    }
    std::vector<DecisionId> open;
    for (DecisionId decision = 0; decision < instance->num_decisions(); ++decision) {
      if (node.IsOpen(decision)) open.push_back(decision);
    }
    if (open.empty()) return;
    const DecisionId decision = open[random.Below(open.size())];
    Candidate child = node;
    if (child.Take(decision, node.FirstValue(decision)) == Propagation::kDeadEnd) return;
    node = child;
  }
}

TEST(ObjectivesThatAreSums, HaveTheBestOfRandomSpaces) {
  std::size_t with_solutions = 0, with_bounds = 0;
  Random random(7);
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const std::string text = RandomSpace(seed);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    const auto instance = Loaded(text);
    if (instance->root_result() == Propagation::kDeadEnd) continue;
    const std::optional<std::int64_t> optimum = BruteForce(instance);
    const ChoiceOrder order = ChoiceOrder::Default(*instance);
    const BestFound best =
        BranchAndBound(*instance, order).Run(Candidate(instance), [](const Candidate&, auto) {});
    ASSERT_TRUE(best.proven);
    ASSERT_EQ(best.solution.has_value(), optimum.has_value());
    if (!optimum) continue;
    ++with_solutions;
    ASSERT_EQ(best.value, *optimum);
    ASSERT_EQ(best.bound, *optimum);
    // Stopped early, the bound holds.
    const bool maximize = instance->space().objective->maximize;
    SolveOptions options;
    options.stop = [&](const SolveStatus& status) { return status.nodes >= 8; };
    const BestFound stopped = BranchAndBound(*instance, order, options)
                                  .Run(Candidate(instance), [](const Candidate&, auto) {});
    ASSERT_TRUE(maximize ? stopped.bound >= *optimum : stopped.bound <= *optimum);
    const runtime::GroundedTerm objective = ObjectiveOf(*instance);
    with_bounds += SeparableBound::Of(*instance, objective, maximize).has_value() ? 1 : 0;
    if (seed % 3 == 0) CheckBound(instance, random);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(with_solutions, 200u);
  EXPECT_GT(with_bounds, 100u);
}

struct Item {
  std::int64_t weight = 0, worth = 0;
};

struct Knapsack {
  std::vector<Item> items;
  std::int64_t capacity = 0;
};

/// Weights and worths that go together, which is what makes a knapsack hard: the text of a space
/// has the same formulas.
Knapsack RandomKnapsack(int count, std::uint64_t seed) {
  Knapsack knapsack;
  std::int64_t all = 0;
  for (int i = 1; i <= count; ++i) {
    const std::int64_t weight = i * (37 + static_cast<int>(seed) * 10) % 91 + 10;
    knapsack.items.push_back({weight, weight + i * 17 % 23});
    all += weight;
  }
  knapsack.capacity = all / 2;
  return knapsack;
}

std::shared_ptr<const Instance> SpaceOf(const Knapsack& knapsack, std::uint64_t seed) {
  return Loaded(fmt::format(R"(
set Items = 1 .. {0}
choice enum place($i in Items): value HOME: value PACKED: end
choice counter weight():
  forall $i in Items: sum $i * {1} % 91 + 10 when: place($i) is PACKED
end
choice counter worth():
  forall $i in Items: sum $i * {1} % 91 + 10 + $i * 17 % 23 when: place($i) is PACKED
end
require weight() <= {2}
maximize worth()
)",
                            knapsack.items.size(), 37 + seed * 10, knapsack.capacity));
}

/// By what each capacity can carry.
std::int64_t OptimumOf(const Knapsack& knapsack) {
  std::vector<std::int64_t> most(static_cast<std::size_t>(knapsack.capacity) + 1, 0);
  for (const Item& item : knapsack.items) {
    for (std::int64_t left = knapsack.capacity; left >= item.weight; --left) {
      std::int64_t& here = most[static_cast<std::size_t>(left)];
      here = std::max(here, most[static_cast<std::size_t>(left - item.weight)] + item.worth);
    }
  }
  return most.back();
}

/// The best with items that may be cut.
double FractionalOf(const Knapsack& knapsack) {
  std::vector<Item> items = knapsack.items;
  std::ranges::sort(
      items, [](const Item& a, const Item& b) { return a.worth * b.weight > b.worth * a.weight; });
  double worth = 0;
  std::int64_t left = knapsack.capacity;
  for (const Item& item : items) {
    const std::int64_t part = std::min(item.weight, left);
    worth += static_cast<double>(item.worth) * static_cast<double>(part) /
             static_cast<double>(item.weight);
    left -= part;
  }
  return worth;
}

TEST(Knapsacks, OfFortyItemsAreProvenInFewSteps) {
  for (const int count : {20, 30, 40}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Knapsack knapsack = RandomKnapsack(count, seed);
      const auto instance = SpaceOf(knapsack, seed);
      const ChoiceOrder order = ChoiceOrder::Default(*instance);
      BranchAndBound search(*instance, order);
      const BestFound best = search.Run(Candidate(instance), [](const Candidate&, auto) {});
      EXPECT_TRUE(best.proven);
      EXPECT_EQ(best.value, OptimumOf(knapsack));
      // Intervals alone take more than ten million steps for forty.
      EXPECT_LT(search.status().nodes, 20000u) << count << " items, seed " << seed;
    }
  }
}

TEST(SeparableBounds, AreThoseOfItemsThatMayBeCut) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Knapsack knapsack = RandomKnapsack(25, seed);
    const auto instance = SpaceOf(knapsack, seed);
    const runtime::GroundedTerm objective = ObjectiveOf(*instance);
    auto bound = SeparableBound::Of(*instance, objective, true);
    ASSERT_TRUE(bound);
    const Candidate root(instance);
    bound->Begin(root);
    const double fractional = FractionalOf(knapsack);
    EXPECT_GE(bound->Most(root) + 1e-9, std::floor(fractional));
    EXPECT_LE(bound->Most(root), fractional + 1);
  }
}

TEST(BranchAndBound, AllocatesNothingWhileItSearches) {
  const auto instance = SpaceOf(RandomKnapsack(40, 2), 2);
  const ChoiceOrder order = ChoiceOrder::Default(*instance);
  BranchAndBound search(*instance, order);
  const Candidate root(instance);
  search.Run(root, [](const Candidate&, auto) {});
  const std::size_t before = allocations;
  search.Run(root, [](const Candidate&, auto) {});
  EXPECT_GT(search.status().nodes, 20u);
  // What is found is kept, and handed on.
  EXPECT_LE(allocations - before, 8u);
}

}  // namespace
}  // namespace exh::search
