// SPDX-License-Identifier: MIT
#include "tests/kernels/codegen/random_matmul.h"
#include "kernels/codegen/print/cpu_printer.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/kernels/codegen/reference_run.h"

namespace exh::kernels::codegen::testing {
namespace {

constexpr unsigned kSeeds = 500;
constexpr AcrossBlocks kWays[] = {AcrossBlocks::ATOMIC_CAS,    AcrossBlocks::ATOMIC_RED,
                                  AcrossBlocks::ATOMIC_VECTOR, AcrossBlocks::LAST_BLOCK,
                                  AcrossBlocks::SECOND_LAUNCH, AcrossBlocks::CLUSTER};

TEST(RandomMatmul, AllCorrectInTheInterpreter) {
  std::map<std::string, unsigned> seen;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const auto matmul = MakeRandomMatmul(seed);
    ASSERT_EQ(CheckByInterpreter(matmul->function, matmul->schedule), "") << "seed " << seed;
    for (const std::string& feature : matmul->features) ++seen[feature];
  }
  for (const char* feature :
       {"thread", "two thread axes", "temporary", "global", "vector", "unroll", "stage a",
        "stage b", "hoisted stage", "other thread map", "guard", "slices", "lanes of sums"}) {
    EXPECT_GE(seen[feature], kSeeds / 50) << feature;
  }
}

TEST(RandomMatmul, CorrectWhenCompiled) {
  for (unsigned seed = 1000; seed < 1014; ++seed) {
    const auto matmul = MakeRandomMatmul(seed);
    ASSERT_EQ(CheckByCompiler(matmul->function, matmul->schedule), "") << "seed " << seed;
  }
}

/// Sums that blocks divide, with the blocks in any order.
TEST(RandomMatmul, DividedSumsAreCorrectInTheInterpreter) {
  for (const AcrossBlocks way : kWays) {
    std::map<std::string, unsigned> seen;
    for (unsigned seed = 0; seed < kSeeds / 5; ++seed) {
      const auto matmul = MakeRandomMatmul(seed, ir::Type::kF32, way);
      ASSERT_EQ(CheckByInterpreter(matmul->function, matmul->schedule, Fault::kNone, seed), "")
          << "seed " << seed << ", way " << static_cast<int>(way);
      for (const std::string& feature : matmul->features) ++seen[feature];
    }
    EXPECT_EQ(seen["splits"], kSeeds / 5);
    for (const char* feature :
         {"thread", "stage a", "stage b", "vector", "splits of slices", "splits of lanes"}) {
      EXPECT_GE(seen[feature], kSeeds / 50) << feature << ", way " << static_cast<int>(way);
    }
  }
}

TEST(RandomMatmul, DividedSumsAreCorrectWhenCompiled) {
  std::map<std::string, unsigned> seen;
  for (unsigned seed = 2000; seed < 2010; ++seed) {
    const auto matmul = MakeRandomMatmul(seed, ir::Type::kF32, AcrossBlocks::SECOND_LAUNCH);
    ASSERT_EQ(CheckByCompiler(matmul->function, matmul->schedule), "") << "seed " << seed;
    for (const std::string& feature : matmul->features) ++seen[feature];
  }
  EXPECT_GE(seen["splits of slices"], 1U);
  EXPECT_GE(seen["vector"], 1U);
}

TEST(RandomMatmul, CoveredAxesAreCorrectInTheInterpreter) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const auto matmul = MakeRandomMatmul(seed, ir::Type::kF32, AcrossBlocks::NOT_ACROSS, true);
    ASSERT_EQ(CheckByInterpreter(matmul->function, matmul->schedule), "") << "seed " << seed;
  }
}

TEST(RandomMatmul, CoveredAxesAreCorrectWhenCompiled) {
  for (unsigned seed = 1000; seed < 1012; ++seed) {
    const ir::Type type = seed % 3 == 0 ? ir::Type::kF16 : ir::Type::kF32;
    const auto matmul = MakeRandomMatmul(seed, type, AcrossBlocks::NOT_ACROSS, true);
    ASSERT_EQ(CheckByCompiler(matmul->function, matmul->schedule), "") << "seed " << seed;
  }
}

/// 13 x 53 x 37, covered by 16 x 56 x 40, with lanes that are partly beyond; sums in registers.
TEST(RandomMatmul, PrimesAreCovered) {
  const ir::Function function = Matmul(13, 53, 37, 1, ir::Type::kF32, 3, {16, 56, 40});
  const Items tile = {Unroll("load_a.m2", 4, {Exec("load_a")}),
                      Vector("load_b.n2", 8, {Exec("load_b")}),
                      Unroll("mad.m2", 4, {Vector("mad.n2", 8, {Exec("mad")})})};
  const Items body = {Unroll("init.m2", 4, {Vector("init.n2", 8, {Exec("init")})}),
                      Loop("mad.k0 + load_a.k0 + load_b.k0", 5,
                           {Unroll("mad.k1 + load_a.k1 + load_b.k1", 8, tile)}),
                      Unroll("store.m2", 4, {Vector("store.n2", 8, {Exec("store")})})};
  const Schedule schedule =
      Draw(function,
           {Block("load_a.m0 + init.m0 + mad.m0 + store.m0", 2,
                  {Loop("load_b.n0 + init.n0 + mad.n0 + store.n0", 7,
                        {Loop("load_a.m1 + init.m1 + mad.m1 + store.m1", 2,
                              {Loop("load_b.n1 + init.n1 + mad.n1 + store.n1", 1, body)})})})});
  EXPECT_EQ(CheckByInterpreter(function, schedule), "");
  EXPECT_EQ(CheckByCompiler(function, schedule), "");
  EXPECT_NE(CheckByInterpreter(function, schedule, Fault::kLostSurplus), "");
  // The first block has all of its rows; in it six of seven steps along n and four of five along k
  // ask nothing.
  const std::string text = PrintCpu(function, schedule);
  const std::size_t other = text.find("else {");
  ASSERT_NE(other, std::string::npos) << text;
  const std::string whole = text.substr(text.find(" < 1) {"), other);
  for (const char* loop : {"= 0; i_load_b_n0 < 6;", "= 6; i_load_b_n0 < 7;",
                           "= 0; i_load_a_k0 < 4;", "= 4; i_load_a_k0 < 5;"}) {
    EXPECT_NE(whole.find(loop), std::string::npos) << loop << "\n" << text;
  }
  EXPECT_EQ(text.find("= 6; i_load_b_n0", other), std::string::npos) << "divided once more";
}

/// Parts of sums that are shorter than others, or empty; partial results of points beyond the axes.
TEST(RandomMatmul, DividedSumsOverCoveredAxesAreCorrect) {
  for (const AcrossBlocks way : kWays) {
    for (unsigned seed = 0; seed < kSeeds / 5; ++seed) {
      const auto matmul = MakeRandomMatmul(seed, ir::Type::kF32, way, true);
      ASSERT_EQ(CheckByInterpreter(matmul->function, matmul->schedule, Fault::kNone, seed), "")
          << "seed " << seed << ", way " << static_cast<int>(way);
    }
  }
  for (unsigned seed = 2000; seed < 2008; ++seed) {
    const auto matmul = MakeRandomMatmul(seed, ir::Type::kF32, AcrossBlocks::SECOND_LAUNCH, true);
    ASSERT_EQ(CheckByCompiler(matmul->function, matmul->schedule), "") << "seed " << seed;
  }
}

/// How many of the sample a seeded fault turns red.
unsigned CountNoticed(Fault fault, AcrossBlocks across = AcrossBlocks::NOT_ACROSS,
                      bool covered = false) {
  unsigned noticed = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const auto matmul = MakeRandomMatmul(seed, ir::Type::kF32, across, covered);
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
  // Here all sums have parts, and half of them begin with something.
  for (const AcrossBlocks way : kWays) {
    EXPECT_GE(CountNoticed(Fault::kWrongIdentity, way), 30U) << static_cast<int>(way);
  }
  EXPECT_EQ(CountNoticed(Fault::kMissingFill, AcrossBlocks::ATOMIC_CAS), 100U);
  // Where no axis is covered nothing can be lost of one.
  EXPECT_EQ(CountNoticed(Fault::kLostSurplus), 0U);
  for (const AcrossBlocks way : {AcrossBlocks::NOT_ACROSS, AcrossBlocks::SECOND_LAUNCH}) {
    EXPECT_EQ(CountNoticed(Fault::kNone, way, true), 0U);
    EXPECT_EQ(CountNoticed(Fault::kLostSurplus, way, true), 100U);
  }
}

}  // namespace
}  // namespace exh::kernels::codegen::testing
