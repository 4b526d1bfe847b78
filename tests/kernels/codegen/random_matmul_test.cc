// SPDX-License-Identifier: MIT
#include "tests/kernels/codegen/random_matmul.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/kernels/codegen/reference_run.h"

namespace exh::kernels::codegen::testing {
namespace {

constexpr unsigned kSeeds = 500;

TEST(RandomMatmul, AllCorrectInTheInterpreter) {
  std::map<std::string, unsigned> seen;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const auto matmul = MakeRandomMatmul(seed);
    ASSERT_EQ(CheckByInterpreter(matmul->function, matmul->schedule), "") << "seed " << seed;
    for (const std::string& feature : matmul->features) ++seen[feature];
  }
  for (const char* feature :
       {"thread", "two thread axes", "temporary", "global", "vector", "unroll", "stage a",
        "stage b", "hoisted stage", "other thread map", "guard", "slices"}) {
    EXPECT_GE(seen[feature], kSeeds / 50) << feature;
  }
}

TEST(RandomMatmul, CorrectWhenCompiled) {
  for (unsigned seed = 1000; seed < 1014; ++seed) {
    const auto matmul = MakeRandomMatmul(seed);
    ASSERT_EQ(CheckByCompiler(matmul->function, matmul->schedule), "") << "seed " << seed;
  }
}

/// How many of the sample a seeded fault turns red.
unsigned CountNoticed(Fault fault) {
  unsigned noticed = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const auto matmul = MakeRandomMatmul(seed);
    if (!CheckByInterpreter(matmul->function, matmul->schedule, fault).empty()) ++noticed;
  }
  return noticed;
}

TEST(RandomMatmul, SeededFaultsAreNoticed) {
  EXPECT_EQ(CountNoticed(Fault::kNone), 0U);
  EXPECT_EQ(CountNoticed(Fault::kWrongStride), 100U);
  // Only implementations with temporaries across threads have a barrier to miss, and only
  // stores that leave an axis unused have a guard.
  EXPECT_GE(CountNoticed(Fault::kMissingBarrier), 15U);
  EXPECT_GE(CountNoticed(Fault::kDroppedGuard), 5U);
  // Only sums that threads have slices of, and that begin with something, have an identity to miss.
  EXPECT_GE(CountNoticed(Fault::kWrongIdentity), 5U);
}

}  // namespace
}  // namespace exh::kernels::codegen::testing
