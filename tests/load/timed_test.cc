// SPDX-License-Identifier: MIT
//
// What a backbone says and what data say is the same space: constants with arguments, choices
// between terms, comparisons known before the search, an objective.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/random.h"
#include "load/load.h"
#include "runtime/candidate.h"
#include "runtime/objective/grounded_term.h"
#include "spaces/timed.exh.h"
#include "tests/load/all_solutions.h"
#include "tests/load/workshop.h"

namespace exh::load {
namespace {

using runtime::Candidate;
using runtime::Instance;

std::string DataOf(const Workshop& shop) {
  std::string tasks, gaps;
  for (const Job& job : shop.jobs) {
    tasks += fmt::format(R"({}{{"name": "{}", "time": {}, "machine": {}, "urgent": {}}})",
                         tasks.empty() ? "" : ", ", job.name(), job.length, job.on, job.in_haste);
    std::string row;
    for (const Job& other : shop.jobs) {
      if (other.id == job.id) continue;
      row +=
          fmt::format(R"({}"{}": {})", row.empty() ? "" : ", ", other.name(), shop.gap(job, other));
    }
    gaps += fmt::format(R"({}"{}": {{{}}})", gaps.empty() ? "" : ", ", job.name(), row);
  }
  return fmt::format(R"({{"Tasks": [{}], "gap": {{{}}}, "horizon": {}}})", tasks, gaps, shop.until);
}

TEST(Timed, ABackboneAndDataGiveTheSameSpace) {
  std::size_t solutions = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Workshop shop;
    shop.until = 3 + static_cast<int>(random.Below(3));
    const std::size_t jobs = 1 + random.Below(3);
    for (std::size_t i = 0; i < jobs; ++i) {
      shop.jobs.push_back({static_cast<int>(i), static_cast<std::uint8_t>(random.Below(4)),
                           static_cast<int>(random.Below(2)), random.Below(3) == 0});
    }
    const spaces::timed::SpaceHost host(shop);
    const auto built = Instance::Freeze(spaces::timed::GetSpace(), host);
    Given given;
    given.data = DataOf(shop);
    dsl::DiagnosticSink sink;
    const auto loaded = LoadFile("tests/load/timed_data.exh", sink, given);
    ASSERT_TRUE(loaded) << dsl::RenderText(sink);
    const auto instance = Freeze(*loaded);
    const auto found = AllSolutions(built);
    ASSERT_EQ(found, AllSolutions(instance)) << given.data;
    solutions += found.size();
    ASSERT_EQ(built->root_result(), instance->root_result());
    if (built->root_result() == runtime::Propagation::kDeadEnd) continue;
    const runtime::SpaceObjective& objective = *built->space().objective;
    EXPECT_EQ(objective.text, "makespan() * 4 + early()");
    EXPECT_FALSE(objective.maximize);
    EXPECT_EQ(runtime::GroundedTerm(*built, objective.term, "").Over(Candidate(built)),
              runtime::GroundedTerm(*instance, instance->space().objective->term, "")
                  .Over(Candidate(instance)));
    EXPECT_EQ(built->space().lower_bound->unit_ns, 1000);
    EXPECT_EQ(built->space().lower_bound->text, "makespan() / 2");
  }
  EXPECT_GT(solutions, 1000u);
}

}  // namespace
}  // namespace exh::load
