// SPDX-License-Identifier: MIT
//
// The spaces without kernels, each against what is known of it or what plain loops find; and the
// solver, which finds each solution once.
#include "examples/example.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "search/exact/exact_count.h"
#include "search/solve/example_space.h"
#include "search/solve/solution_text.h"
#include "search/solve/solver.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::Instance;
using runtime::Propagation;
using testing::HasSubstr;

std::shared_ptr<const Instance> Frozen(const std::string& name, const std::string& size,
                                       const std::string* data = nullptr) {
  const examples::Example& example = FindExample(name);
  return examples::Freeze(example, ParseParameters(example, size), data);
}

BigCount Count(const std::shared_ptr<const Instance>& instance) {
  if (instance->root_result() == Propagation::kDeadEnd) return 0;
  const ExactCount count = ExactCounter(instance, {}).Count(Candidate(instance));
  EXPECT_TRUE(count.complete);
  return count.count;
}

/// All solutions as JSON text, in the order in which they are found.
std::vector<std::string> Solutions(const std::shared_ptr<const Instance>& instance,
                                   Random* random = nullptr) {
  std::vector<std::string> found;
  if (instance->root_result() == Propagation::kDeadEnd) return found;
  const ChoiceOrder order = ChoiceOrder::Default(*instance);
  Solver solver(*instance, order, {random, {}});
  EXPECT_EQ(solver.Run(Candidate(instance),
                       [&](const Candidate& solution) {
                         EXPECT_TRUE(solution.IsImplementation());
                         found.push_back(SolutionJson(solution).dump());
                         return true;
                       }),
            SolveResult::kAll);
  EXPECT_EQ(solver.status().solutions, found.size());
  return found;
}

std::size_t Distinct(const std::vector<std::string>& solutions) {
  return std::set<std::string>(solutions.begin(), solutions.end()).size();
}

TEST(Queens, AreAsManyAsIsKnown) {
  const std::map<int, int> known = {{1, 1},  {2, 0}, {3, 0},  {4, 2},
                                    {5, 10}, {6, 4}, {7, 40}, {8, 92}};
  for (const auto& [n, count] : known) {
    const auto instance = Frozen("queens", "n=" + std::to_string(n));
    EXPECT_EQ(Count(instance), count) << n;
    const std::vector<std::string> solutions = Solutions(instance);
    EXPECT_EQ(solutions.size(), static_cast<std::size_t>(count)) << n;
    EXPECT_EQ(Distinct(solutions), solutions.size());
  }
  EXPECT_EQ(Solutions(Frozen("queens", "n=4")),
            (std::vector<std::string>{
                "{\"column(r0)\":1,\"column(r1)\":3,\"column(r2)\":0,\"column(r3)\":2}",
                "{\"column(r0)\":2,\"column(r1)\":0,\"column(r2)\":3,\"column(r3)\":1}"}));
}

/// More columns than a word has bits.
TEST(Queens, StandOnLargeBoardsToo) {
  const auto instance = Frozen("queens", "n=70");
  const ChoiceOrder order = ChoiceOrder::Default(*instance);
  Solver solver(*instance, order,
                {nullptr, [](const SolveStatus& status) { return status.nodes > 200'000; }});
  std::vector<int> columns;
  const SolveResult result = solver.Run(Candidate(instance), [&](const Candidate& solution) {
    for (runtime::DecisionId row = 0; row < 70; ++row) columns.push_back(solution.FirstValue(row));
    return false;
  });
  ASSERT_EQ(result, SolveResult::kEnough);
  for (int a = 0; a < 70; ++a) {
    for (int b = a + 1; b < 70; ++b) {
      const int apart = columns[static_cast<std::size_t>(a)] - columns[static_cast<std::size_t>(b)];
      EXPECT_TRUE(apart != 0 && apart != a - b && apart != b - a) << a << " and " << b;
    }
  }
}

TEST(Colouring, OfAustralia) {
  // Six ways for the mainland, three for Tasmania.
  EXPECT_EQ(Count(Frozen("colouring", "")), 18);
  EXPECT_EQ(Count(Frozen("colouring", "colours=2")), 0);
  EXPECT_EQ(Solutions(Frozen("colouring", "")).size(), 18u);
}

TEST(Colouring, OfAGraphFromAFile) {
  std::string data = R"({"vertices": ["v0")";
  std::string edges;
  constexpr int kLength = 30;
  for (int v = 1; v < kLength; ++v) data += fmt::format(R"(, "v{}")", v);
  for (int v = 0; v < kLength; ++v) {
    edges += fmt::format(R"({}["v{}", "v{}"])", v == 0 ? "" : ", ", v, (v + 1) % kLength);
  }
  data += R"(], "edges": [)" + edges + "]}";
  BigCount expected = 1;
  for (int v = 0; v < kLength; ++v) expected *= 6;
  EXPECT_EQ(Count(Frozen("colouring", "colours=7", &data)), expected + 6);
}

// ---- The job shop against loops over orders of tasks, and over times.

struct Task {
  std::size_t job;
  char machine;
  int time;
};
const std::vector<std::vector<std::pair<char, int>>> kJobs = {
    {{'a', 3}, {'b', 2}, {'c', 2}}, {{'a', 2}, {'c', 1}, {'b', 4}}, {{'b', 4}, {'c', 3}}};

/// The shortest makespan: some order in which tasks begin as early as they can is best.
int ShortestMakespan(std::array<std::size_t, 3> next, std::array<int, 3> job_free,
                     std::array<int, 3> machine_free) {
  int best = 1000;
  bool any = false;
  for (std::size_t job = 0; job < kJobs.size(); ++job) {
    if (next[job] == kJobs[job].size()) continue;
    any = true;
    const auto [machine, time] = kJobs[job][next[job]];
    auto next_now = next;
    auto jobs_now = job_free;
    auto machines_now = machine_free;
    const auto m = static_cast<std::size_t>(machine - 'a');
    ++next_now[job];
    jobs_now[job] = machines_now[m] = std::max(job_free[job], machine_free[m]) + time;
    best = std::min(best, ShortestMakespan(next_now, jobs_now, machines_now));
  }
  return any ? best : *std::ranges::max_element(job_free);
}

/// Schedules that end by the horizon, task by task.
std::uint64_t NumSchedules(int horizon, std::vector<std::pair<Task, int>>& placed, std::size_t job,
                           std::size_t place, int earliest) {
  if (job == kJobs.size()) return 1;
  if (place == kJobs[job].size()) return NumSchedules(horizon, placed, job + 1, 0, 0);
  const auto [machine, time] = kJobs[job][place];
  std::uint64_t count = 0;
  for (int start = earliest; start + time <= horizon; ++start) {
    const bool is_free = std::ranges::all_of(placed, [&](const auto& other) {
      return other.first.machine != machine || start + time <= other.second ||
             other.second + other.first.time <= start;
    });
    if (!is_free) continue;
    placed.push_back({{job, machine, time}, start});
    count += NumSchedules(horizon, placed, job, place + 1, start + time);
    placed.pop_back();
  }
  return count;
}

TEST(JobShop, HasTheShortestMakespan) {
  const int shortest = ShortestMakespan({}, {}, {});
  EXPECT_EQ(shortest, 11);
  EXPECT_TRUE(Solutions(Frozen("job_shop", "horizon=10")).empty());
  EXPECT_FALSE(Solutions(Frozen("job_shop", "horizon=11")).empty());
}

TEST(JobShop, HasAsManySchedulesAsLoopsFind) {
  for (const int horizon : {10, 11, 12, 13}) {
    std::vector<std::pair<Task, int>> placed;
    const std::uint64_t expected = NumSchedules(horizon, placed, 0, 0, 0);
    const auto instance = Frozen("job_shop", "horizon=" + std::to_string(horizon));
    EXPECT_EQ(Count(instance), BigCount(expected)) << horizon;
    if (horizon > 12) continue;
    const std::vector<std::string> solutions = Solutions(instance);
    EXPECT_EQ(solutions.size(), expected) << horizon;
    EXPECT_EQ(Distinct(solutions), solutions.size()) << horizon;
  }
}

/// Times beyond what a word has bits for.
TEST(JobShop, OfLongTasks) {
  const std::string data = R"({"jobs": [
    [{"machine": "a", "time": 100}, {"machine": "b", "time": 50}],
    [{"machine": "b", "time": 70}, {"machine": "a", "time": 60}]]})";
  EXPECT_EQ(Count(Frozen("job_shop", "horizon=159", &data)), 0);
  // a: 0 to 100, then 100 to 160; b: from 0 on until 100, or after it.
  std::uint64_t expected = 0;
  for (int a1 = 0; a1 <= 175 - 100; ++a1) {
    for (int b1 = a1 + 100; b1 <= 175 - 50; ++b1) {
      for (int b2 = 0; b2 <= 175 - 70; ++b2) {
        if (b2 < b1 + 50 && b1 < b2 + 70) continue;
        for (int a2 = b2 + 70; a2 <= 175 - 60; ++a2) {
          if (a2 < a1 + 100 && a1 < a2 + 60) continue;
          ++expected;
        }
      }
    }
  }
  EXPECT_EQ(Count(Frozen("job_shop", "horizon=175", &data)), BigCount(expected));
}

TEST(Knapsack, HasAsManyWaysAsLoopsFind) {
  struct Item {
    int weight, worth;
  };
  const std::array<Item, 5> items = {{{12, 4}, {2, 2}, {1, 1}, {4, 10}, {1, 2}}};
  for (const int capacity : {0, 3, 8, 15, 20}) {
    for (const int worth : {0, 4, 12, 15, 16}) {
      int expected = 0;
      for (unsigned packed = 0; packed < 32; ++packed) {
        int weight = 0, sum = 0;
        for (std::size_t item = 0; item < items.size(); ++item) {
          if ((packed >> item & 1) == 0) continue;
          weight += items[item].weight;
          sum += items[item].worth;
        }
        expected += weight <= capacity && sum >= worth ? 1 : 0;
      }
      EXPECT_EQ(Count(Frozen("knapsack", fmt::format("capacity={},worth={}", capacity, worth))),
                expected)
          << capacity << ", " << worth;
    }
  }
}

TEST(Solver, FindsTheSameInAnyOrder) {
  for (const char* const name : {"queens", "colouring", "knapsack"}) {
    const auto instance = Frozen(name, "");
    std::vector<std::string> ascending = Solutions(instance);
    Random random(5);
    std::vector<std::string> shuffled = Solutions(instance, &random);
    if (ascending.size() > 10) {
      EXPECT_NE(ascending, shuffled) << name;
    }
    std::ranges::sort(ascending);
    std::ranges::sort(shuffled);
    EXPECT_EQ(ascending, shuffled) << name;
  }
}

TEST(Solver, EndsWhenAskedTo) {
  const auto instance = Frozen("queens", "n=30");
  const ChoiceOrder order = ChoiceOrder::Default(*instance);
  Solver solver(*instance, order,
                {nullptr, [](const SolveStatus& status) { return status.solutions >= 3; }});
  EXPECT_EQ(solver.Run(Candidate(instance), [](const Candidate&) { return true; }),
            SolveResult::kStopped);
}

TEST(SolutionText, StandsByChoice) {
  const auto instance = Frozen("colouring", "");
  const ChoiceOrder order = ChoiceOrder::Default(*instance);
  std::string text;
  Solver(*instance, order).Run(Candidate(instance), [&](const Candidate& solution) {
    text = SolutionText(solution);
    return false;
  });
  EXPECT_EQ(text, "  colour  WA=1  NT=2  SA=3  Q=1  NSW=2  V=1  T=1\n");
}

// ---- Mistakes of data files name the place.

std::string Mistake(const std::string& example, const std::string& data) {
  try {
    FindExample(example).MakeHost(ParseParameters(FindExample(example), ""), &data);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(DataFiles, MistakesNameTheirPlace) {
  const std::vector<std::array<std::string, 3>> mistakes = {
      {"colouring", "{", "no JSON"},
      {"colouring", "[]", "an object with 'vertices', 'edges', not []"},
      {"colouring", R"({"vertices": ["a"]})", "'edges' is missing"},
      {"colouring", R"({"vertices": ["a"], "edge": []})", "'edge'; did you mean 'edges'?"},
      {"colouring", R"({"vertices": [], "edges": []})", "'vertices' must be a list of 1 to 1000"},
      {"colouring", R"({"vertices": ["a", 7], "edges": []})", "'vertices[1]' must be a name"},
      {"colouring", R"({"vertices": ["a", "a"], "edges": []})", "two vertices 'a'"},
      {"colouring", R"({"vertices": ["a b"], "edges": []})", "without blanks"},
      {"colouring", R"({"vertices": ["ab", "bc"], "edges": [["ab", "bd"]]})",
       "'edges[0][1]': unknown vertex 'bd'; did you mean"},
      {"colouring", R"({"vertices": ["a", "b"], "edges": [["a"]]})",
       "'edges[0]' must be a list of 2, it has 1"},
      {"colouring", R"({"vertices": ["a"], "edges": [["a", "a"]]})", "not one with itself"},
      {"job_shop", R"({"jobs": [[{"machine": "a"}]]})", "'jobs[0][0].time' is missing"},
      {"job_shop", R"({"jobs": [[{"machine": "a", "time": 0}]]})",
       "'jobs[0][0].time' must be a whole number from 1 to 4000, not 0"},
      {"job_shop", R"({"jobs": [[{"machine": "a", "time": 1.5}]]})", "not 1.5"},
      {"job_shop", R"({"jobs": [[{"machine": "a", "time": 12}]]})", "more than the horizon, 11"},
      {"knapsack", R"({"items": [{"name": "a", "weight": -1, "worth": 1}]})",
       "'items[0].weight' must be a whole number from 0"},
      {"knapsack", R"({"items": [{"name": "a", "weight": 1, "worth": "x"}]})",
       "'items[0].worth' must be"},
      {"knapsack",
       R"({"items": [{"name": "a", "weight": 1, "worth": 1}, {"name": "a", "weight": 1, "worth": 1}]})",
       "'items[1].name': there are two items 'a'"},
  };
  for (const auto& [example, data, message] : mistakes) {
    EXPECT_THAT(Mistake(example, data), HasSubstr(message)) << data;
  }
}

}  // namespace
}  // namespace exh::search
