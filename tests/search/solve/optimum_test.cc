// SPDX-License-Identifier: MIT
//
// The best solution: branch and bound against trying everything, and the example spaces without a
// backbone against those with one.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "load/load.h"
#include "runtime/objective/grounded_term.h"
#include "search/solve/branch_and_bound.h"
#include "search/solve/example_space.h"
#include "search/solve/open_space.h"
#include "search/solve/solver.h"
#include "tests/support/tree.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::Instance;
using runtime::Propagation;
using testing::HasSubstr;

std::string Folder() {
  return std::string(kSourceDir) + "/examples/spaces/";
}

std::shared_ptr<const Instance> Opened(const std::string& name, const std::string& size,
                                       const std::string& data = "") {
  return OpenSpace(Folder() + name, size, data.empty() ? "" : Folder() + data, {}).instance;
}

std::shared_ptr<const Instance> WithBackbone(const std::string& name, const std::string& size) {
  const examples::Example& example = FindExample(name);
  return examples::Freeze(example, ParseParameters(example, size), nullptr);
}

runtime::GroundedTerm ObjectiveOf(const Instance& instance) {
  const runtime::SpaceObjective& objective = *instance.space().objective;
  return {instance, objective.term, objective.text};
}

/// Objectives of all solutions, and how many have each.
std::map<std::int64_t, std::size_t> Objectives(const std::shared_ptr<const Instance>& instance) {
  std::map<std::int64_t, std::size_t> found;
  if (instance->root_result() == Propagation::kDeadEnd) return found;
  const runtime::GroundedTerm objective = ObjectiveOf(*instance);
  const ChoiceOrder order = ChoiceOrder::Default(*instance);
  Solver(*instance, order).Run(Candidate(instance), [&](const Candidate& solution) {
    const runtime::TermInterval interval = objective.Over(solution);
    EXPECT_TRUE(interval.IsOne());
    ++found[interval.min];
    return true;
  });
  return found;
}

std::size_t CountOf(const std::shared_ptr<const Instance>& instance) {
  std::size_t count = 0;
  if (instance->root_result() == Propagation::kDeadEnd) return count;
  const ChoiceOrder order = ChoiceOrder::Default(*instance);
  Solver(*instance, order).Run(Candidate(instance), [&](const Candidate&) {
    ++count;
    return true;
  });
  return count;
}

BestFound Best(const std::shared_ptr<const Instance>& instance,
               std::optional<std::int64_t> start = std::nullopt, SolveOptions options = {}) {
  const ChoiceOrder order = ChoiceOrder::Default(*instance);
  const bool maximize = instance->space().objective->maximize;
  std::optional<std::int64_t> last = start;
  const BestFound best = BranchAndBound(*instance, order, std::move(options))
                             .Run(
                                 Candidate(instance),
                                 [&](const Candidate& solution, std::int64_t value) {
                                   EXPECT_TRUE(solution.IsImplementation());
                                   EXPECT_TRUE(!last || (maximize ? value > *last : value < *last));
                                   last = value;
                                 },
                                 start);
  EXPECT_EQ(best.value, last);
  if (best.solution) {
    EXPECT_EQ(ObjectiveOf(*instance).Over(*best.solution).min, *best.value);
  }
  return best;
}

constexpr const char* kObjectives[] = {
    "a()",
    "b()",
    "few()",
    "a() + b() * 2 - c()",
    "few() * 3 - a()",
    "max(a(), b())",
    "a() * b() div 3",
    "-(c() - a())",
    "most() - few()",
    "c() % 4 + a()",
};
constexpr const char* kRequirements[] = {
    "require a() + b() >= 5",           "require a() * b() != c()",
    "require few() <= 7 || c() == 2",   "require a() < c() => most() is 3 | 5",
    "require b() % 3 == 1 || a() >= 4", "require kind() is RED => a() + c() < 6",
    "require most() * 2 >= few()",
};

std::string RandomSpace(std::uint64_t seed) {
  Random random(seed);
  std::string text = R"(
choice integer a(): 0 .. 6 end
choice integer b(): 1 | 2 | 4 .. 7 end
choice integer c(): 0 .. 9 end
choice integer most(): 1 | 3 | 5 | 70 end
choice enum kind(): value RED: value BLUE: end
choice counter few(): base -2 sum a() * 2 + 1 when: kind() is RED end
)";
  for (const char* const each : kRequirements) {
    if (random.Below(2) == 0) text += fmt::format("{}\n", each);
  }
  return text + fmt::format("{} {}\n", random.Below(2) == 0 ? "minimize" : "maximize",
                            kObjectives[random.Below(std::size(kObjectives))]);
}

std::shared_ptr<const Instance> Loaded(const std::string& text) {
  dsl::DiagnosticSink sink;
  const auto loaded = load::LoadText("t.exh", text, sink);
  EXPECT_TRUE(loaded) << dsl::RenderText(sink);
  return load::Freeze(*loaded);
}

TEST(BranchAndBound, FindsTheBestOfRandomSpaces) {
  std::size_t with_solutions = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const std::string text = RandomSpace(seed);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    const auto instance = Loaded(text);
    const auto objectives = Objectives(instance);
    if (instance->root_result() == Propagation::kDeadEnd) continue;
    const bool maximize = instance->space().objective->maximize;
    const BestFound best = Best(instance);
    ASSERT_TRUE(best.proven);
    ASSERT_EQ(best.solution.has_value(), !objectives.empty());
    if (objectives.empty()) continue;
    ++with_solutions;
    const std::int64_t optimum = maximize ? objectives.rbegin()->first : objectives.begin()->first;
    ASSERT_EQ(best.value, optimum);
    ASSERT_EQ(best.bound, optimum);
    // Nothing is better than the best; something is better than what is worse.
    EXPECT_FALSE(Best(instance, optimum).solution);
    const BestFound again = Best(instance, maximize ? optimum - 1 : optimum + 1);
    ASSERT_TRUE(again.solution);
    EXPECT_EQ(again.value, optimum);
    // Whenever it is stopped, the bound holds.
    for (const std::uint64_t steps : {1u, 3u, 9u}) {
      SolveOptions options;
      options.stop = [&](const SolveStatus& status) { return status.nodes >= 16 * steps; };
      const BestFound stopped = Best(instance, std::nullopt, options);
      if (stopped.proven) {
        EXPECT_EQ(stopped.value, optimum);
        continue;
      }
      EXPECT_TRUE(maximize ? stopped.bound >= optimum : stopped.bound <= optimum);
    }
  }
  EXPECT_GT(with_solutions, 100u);
}

TEST(SpacesWithoutABackbone, HaveTheCountsOfThoseWithOne) {
  for (int n = 1; n <= 8; ++n) {
    const std::string size = fmt::format("n={}", n);
    EXPECT_EQ(CountOf(Opened("queens.exh", size)), CountOf(WithBackbone("queens", size))) << n;
  }
  for (int colours = 1; colours <= 4; ++colours) {
    const std::string size = fmt::format("colours={}", colours);
    EXPECT_EQ(CountOf(Opened("colouring.exh", size, "colouring.json")),
              CountOf(WithBackbone("colouring", size)));
  }
  // A makespan is the horizon by which all is done.
  auto makespans = Objectives(Opened("job_shop.exh", "horizon=12", "job_shop.json"));
  for (int horizon = 10; horizon <= 12; ++horizon) {
    EXPECT_EQ(makespans[horizon],
              CountOf(WithBackbone("job_shop", fmt::format("horizon={}", horizon))));
  }
  std::size_t worthy = 0;
  for (const auto& [worth, count] : Objectives(Opened("knapsack.exh", "", "knapsack.json"))) {
    if (worth >= 12) worthy += count;
  }
  EXPECT_EQ(worthy, CountOf(WithBackbone("knapsack", "capacity=15,worth=12")));
}

TEST(SpacesWithoutABackbone, HaveTheirOptima) {
  EXPECT_EQ(Best(Opened("job_shop.exh", "", "job_shop.json")).value, 11);
  EXPECT_EQ(Best(Opened("knapsack.exh", "", "knapsack.json")).value, 15);
  std::int64_t least = 1 << 30;
  for (std::int64_t r = 1; r <= 64; r *= 2) {
    for (std::int64_t c = 1; c <= 64; c *= 2) {
      if ((r + c + r * c) * 4 > 4096) continue;  // With a depth of 1.
      least = std::min(least, 64 * 64 * 64 / r + 64 * 64 * 64 / c);
    }
  }
  EXPECT_EQ(Best(Opened("tiling.exh", "")).value, least);
}

TEST(SpacesWithoutABackbone, SayWhatIsWrongWithSizesAndData) {
  const auto message = [](const std::string& size, const std::string& data) -> std::string {
    try {
      Opened("job_shop.exh", size, data);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message("", ""), HasSubstr("the objects of set 'Tasks' are not given"));
  EXPECT_THAT(message("horizn=4", "job_shop.json"), HasSubstr("did you mean 'horizon'?"));
  EXPECT_THAT(message("horizon=x", "job_shop.json"), HasSubstr("bad size horizon=x"));
  EXPECT_THAT(message("horizon=4,horizon=5", "job_shop.json"), HasSubstr("stands twice"));
  EXPECT_THAT(message("horizon=2", "job_shop.json"), HasSubstr("universe of start"));
  EXPECT_THAT(message("", "colouring.json"), HasSubstr("unknown key 'Vertices'"));
}

}  // namespace
}  // namespace exh::search
