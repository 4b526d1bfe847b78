// SPDX-License-Identifier: MIT
//
// A third opinion: what is exported of lift.exh has, for Gecode, as many solutions as brute force
// finds.
#include <gtest/gtest.h>

#include <string>

#include "examples/all.h"
#include "examples/example.h"
#include "runtime/export_minizinc.h"
#include "tests/lift/brute_force.h"
#include "tests/support/minizinc.h"

namespace exh::tests {
namespace {

TEST(LiftGecode, CountsTheMappings) {
  if (const std::string missing = MissingMiniZinc(); !missing.empty()) GTEST_SKIP() << missing;
  int compared = 0;
  for (std::uint64_t seed = 1; compared < 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Tree tree = RandomTree(static_cast<int>(2 + seed % 3), random);
    std::map<std::string, int> switches = DefaultSwitches();
    switches["strict"] = static_cast<int>(seed / 2 % 2);
    switches["through_fused"] = static_cast<int>(seed / 4 % 2);
    switches["whole_nest"] = static_cast<int>(seed / 8 % 2);
    const std::uint64_t expected = CountValid(AllViolations(tree), Forbidden(switches));
    if (expected == 0) continue;
    ++compared;
    examples::Parameters parameters;
    for (const auto& [name, value] : switches) parameters[name] = value;
    const std::string json = Json(tree);
    const auto instance = examples::Freeze(examples::LiftExample(), parameters, &json);
    const std::string model = ExportMiniZinc(*instance);
    const SolutionCount count = CountSolutions(model);
    EXPECT_EQ(count.error, "") << json;
    EXPECT_EQ(count.solutions, expected) << json;
  }
}

}  // namespace
}  // namespace exh::tests
