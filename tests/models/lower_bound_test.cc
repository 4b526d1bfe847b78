// SPDX-License-Identifier: MIT
//
// Bounds that are known by hand.
#include "models/lower_bound.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/models/bounded.h"
#include "tests/models/nominal.h"

namespace exh::models {
namespace {

using testing::Contains;
using testing::HasSubstr;

class Matmul1024 : public testing::Test {
 protected:
  Bound Explain(const std::string& decisions) const {
    const LowerBound bound(*problem().task.function, Nominal(problem()));
    const Domains domains = DomainsOf(problem(), Decided(problem(), decisions));
    const Bound explained = bound.Explain(domains);
    EXPECT_EQ(bound.Ns(domains), explained.ns);
    return explained;
  }
  double Arithmetic(const std::string& decisions) const {
    return TermNs(Explain(decisions), "arithmetic");
  }

  static const search::Problem& problem() {
    static const search::Problem made = MakeProblem("matmul", "m=1024,n=1024,k=1024", "h200");
    return made;
  }
  /// Nothing but the outermost levels of m and n are blocks.
  static constexpr const char* kOuterBlocks =
      "dim_kind(mad.m0)=BLOCK\ndim_kind(mad.n0)=BLOCK\n"
      "dim_kind(mad.m1)=LOOP|UNROLL|THREAD\ndim_kind(mad.m2)=LOOP|UNROLL|THREAD\n"
      "dim_kind(mad.m3)=LOOP|UNROLL|THREAD\ndim_kind(mad.n1)=LOOP|UNROLL|THREAD\n"
      "dim_kind(mad.n2)=LOOP|UNROLL|THREAD\ndim_kind(mad.n3)=LOOP|UNROLL|THREAD\n";
};

/// Blocks do not divide a sum.
constexpr const char* kOfOneBlock = "dim_kind(mad.k0)=LOOP|UNROLL|THREAD\n";
/// Nor has a thread a slice of it.
constexpr const char* kWholeSums =
    "dim_kind(mad.k0)=LOOP|UNROLL\ndim_kind(mad.k1)=LOOP|UNROLL\ndim_kind(mad.k2)=LOOP|UNROLL\n";

TEST_F(Matmul1024, RootHasTheArithmeticOfAllUnits) {
  EXPECT_NEAR(Arithmetic(""), 32.1e3, 50);
}

TEST_F(Matmul1024, LargeTilesLeaveUnitsIdle) {
  // 64 blocks of 131072 clocks.
  const std::string tiles = std::string(kOuterBlocks) + "size(mad.m0)=8\nsize(mad.n0)=8\n";
  EXPECT_NEAR(Arithmetic(tiles + kOfOneBlock), 66.2e3, 50);
  EXPECT_LT(Arithmetic(tiles), 33e3) << "blocks that divide the sums fill the units";
}

TEST_F(Matmul1024, SecondWaveIsNotFull) {
  // 256 blocks of 32768 clocks, two on some unit.
  EXPECT_NEAR(
      Arithmetic(std::string(kOuterBlocks) + "size(mad.m0)=16\nsize(mad.n0)=16\n" + kOfOneBlock),
      33.1e3, 50);
}

TEST_F(Matmul1024, HalfAWarpIsHalfWasted) {
  // One row of 16 threads computes 16 columns of C.
  const std::string narrow =
      "dim_kind(mad.m0)=BLOCK\ndim_kind(mad.m1)=LOOP|UNROLL\ndim_kind(mad.m2)=LOOP|UNROLL\n"
      "dim_kind(mad.m3)=LOOP|UNROLL\ndim_kind(mad.n0)=BLOCK\ndim_kind(mad.n1)=THREAD\n"
      "dim_kind(mad.n2)=UNROLL\ndim_kind(mad.n3)=UNROLL\nsize(mad.n1)=16\n";
  EXPECT_GE(Arithmetic(narrow + kWholeSums), 64.1e3);
  EXPECT_NEAR(Arithmetic(narrow + kOfOneBlock), 32.3e3, 50)
      << "threads that have slices of k fill the warps";
}

TEST_F(Matmul1024, SmallTilesOfAThreadReadMore) {
  // 8 x 8 elements of C a thread: with 64 products come 8 + 8 reads of operands, 4 at a time.
  const std::string micro = std::string(kOuterBlocks) +
                            "size(mad.m0)=16\nsize(mad.n0)=16\n"
                            "dim_kind(mad.m1)=THREAD\ndim_kind(mad.n1)=THREAD\n"
                            "size(mad.m1)=8\nsize(mad.n1)=8\n"
                            "dim_kind(mad.m2)=UNROLL\ndim_kind(mad.m3)=UNROLL\n"
                            "dim_kind(mad.n2)=UNROLL\ndim_kind(mad.n3)=UNROLL\n";
  const Bound bound = Explain(micro);
  const double ratio = TermNs(bound, "issue") / TermNs(bound, "arithmetic");
  EXPECT_NEAR(ratio, 68.0 / 64, 0.01);
  EXPECT_EQ(bound.least_blocks, 256);
  // However many blocks divide the sums, up to 16 do: some unit has 1 / 128.
  EXPECT_EQ(bound.bottleneck, "blocks");
  EXPECT_NEAR(TermNs(bound, "blocks") / TermNs(bound, "issue"), 132.0 / 128, 0.01);
}

TEST_F(Matmul1024, OneThreadDoesItAll) {
  const std::string alone =
      "dim_kind(mad.m0)=LOOP|UNROLL\ndim_kind(mad.m1)=LOOP|UNROLL\ndim_kind(mad.m2)=LOOP|UNROLL\n"
      "dim_kind(mad.m3)=LOOP|UNROLL\ndim_kind(mad.n0)=LOOP|UNROLL\ndim_kind(mad.n1)=LOOP|UNROLL\n"
      "dim_kind(mad.n2)=LOOP|UNROLL\ndim_kind(mad.n3)=LOOP|UNROLL\n";
  const Bound bound = Explain(alone + kWholeSums);
  EXPECT_EQ(bound.most_blocks, 1);
  EXPECT_GE(TermNs(bound, "thread"), 1024.0 * 1024 * 1024 / 1.98);
}

TEST_F(Matmul1024, ExplainsItself) {
  const Bound bound = Explain("dim_kind(mad.m1)=LOOP|THREAD\n");
  const std::string text = BoundText(bound);
  EXPECT_THAT(text, HasSubstr("no implementation takes less than 32."));
  EXPECT_THAT(text, HasSubstr("warp instructions of the busiest unit / 4 a clock at 1.98 GHz"));
  EXPECT_THAT(bound.assumed, Contains(HasSubstr("mad.m1: LOOP or THREAD")));
  EXPECT_THAT(bound.assumed, Contains(HasSubstr("load_a:mad: in registers or through memory")));
  const auto parsed = nlohmann::json::parse(BoundJson(bound));
  EXPECT_EQ(parsed["bound_ns"], bound.ns);
  EXPECT_EQ(parsed["terms"].size(), bound.terms.size());
}

TEST(LowerBound, AxpyMovesWhatTheCacheDoesNotHold) {
  const search::Problem problem = MakeProblem("axpy", "n=67108864", "h200");
  const DeviceRates rates = Nominal(problem);
  const Domains root = DomainsOf(problem, problem.root());
  const double bytes = 3.0 * 4 * 67108864;
  EXPECT_NEAR(LowerBound(*problem.task.function, rates).Ns(root),
              (bytes - rates.memory_cache_bytes) / 4800, 1);
  // Cold, everything is read, and what is written last stays in the cache.
  EXPECT_NEAR(LowerBound(*problem.task.function, rates, CacheState::kCold).Ns(root),
              (bytes - rates.memory_cache_bytes) / 4800, 1);
}

TEST(LowerBound, AMixOfReadsAndWritesHasItsOwnRate) {
  // Axpy writes a third of what it moves, a matrix times a vector next to nothing.
  const search::Problem axpy = MakeProblem("axpy", "n=67108864", "h200");
  DeviceRates rates = Nominal(axpy);
  rates.memory_third_gbs = 4400;
  const double bytes = 3.0 * 4 * 67108864 - rates.memory_cache_bytes;
  EXPECT_NEAR(LowerBound(*axpy.task.function, rates).Ns(DomainsOf(axpy, axpy.root())), bytes / 4400,
              1);
  const search::Problem mv = MakeProblem("mv", "m=16384,n=16384", "h200");
  const BoundTerm memory = [&] {
    const LowerBound bound(*mv.task.function, rates);
    const Bound explained = bound.Explain(DomainsOf(mv, mv.root()));
    return *std::ranges::find(explained.terms, "memory", &BoundTerm::resource);
  }();
  EXPECT_EQ(memory.rate, 4800);
  EXPECT_EQ(MemoryGbs(rates, 2, 1), 4400);
  EXPECT_EQ(MemoryGbs(rates, 1, 1), 4800);
  EXPECT_EQ(MemoryGbs(rates, 0, 0), 4800);
}

TEST(LowerBound, AxpyInTheCacheMovesNothing) {
  const search::Problem problem = MakeProblem("axpy", "n=1048576", "h200");
  const Domains root = DomainsOf(problem, problem.root());
  const LowerBound warm(*problem.task.function, Nominal(problem));
  EXPECT_EQ(TermNs(warm.Explain(root), "memory"), 0);
  EXPECT_GT(warm.Ns(root), 0);
  const LowerBound cold(*problem.task.function, Nominal(problem), CacheState::kCold);
  EXPECT_NEAR(TermNs(cold.Explain(root), "memory"), 2.0 * 4 * 1048576 / 4800, 1e-6);
}

TEST(LowerBound, SumsAreChains) {
  const search::Problem problem = MakeProblem("mv", "m=64,n=4096", "h200");
  const LowerBound bound(*problem.task.function, Nominal(problem));
  const auto chain = [&](const runtime::Candidate& candidate) {
    return TermNs(bound.Explain(DomainsOf(problem, candidate)), "chain");
  };
  // Each element may be another block's.
  EXPECT_EQ(chain(problem.root()), 0);
  // 1,024 threads have slices of the sum, at most.
  EXPECT_NEAR(chain(Decided(problem, "dim_kind(mad.n0)=LOOP|UNROLL|THREAD\n")), 3 * 4 / 1.98, 1e-6);
  EXPECT_NEAR(chain(Decided(problem,
                            "dim_kind(mad.n0)=BLOCK\nsize(mad.n0)=64\n"
                            "dim_kind(mad.n1)=LOOP|UNROLL\ndim_kind(mad.n2)=LOOP|UNROLL\n")),
              63 * 4 / 1.98, 1e-6);
  EXPECT_NEAR(chain(Decided(problem,
                            "dim_kind(mad.n1)=THREAD\nsize(mad.n1)=8\n"
                            "dim_kind(mad.n0)=LOOP\ndim_kind(mad.n2)=LOOP|UNROLL\n")),
              511 * 4 / 1.98, 1e-6);
  EXPECT_NEAR(chain(Decided(problem,
                            "dim_kind(mad.n0)=LOOP|UNROLL\ndim_kind(mad.n1)=LOOP|UNROLL\n"
                            "dim_kind(mad.n2)=LOOP|UNROLL\n")),
              4095 * 4 / 1.98, 1e-6);
}

TEST(LowerBound, LanesAndTheirCopiesAreChainsOfTheirOwn) {
  const search::Problem problem = MakeProblem("dot", "n=65536", "cpu");
  const DeviceRates rates = RatesOf(problem);
  const LowerBound bound(*problem.task.function, rates);
  const std::uint32_t lanes = problem.device.vector_sizes.back();
  const auto steps = [&](const std::string& decisions) {
    const Domains domains = DomainsOf(problem, Decided(problem, decisions));
    const double ns = TermNs(bound.Explain(domains), "chain");
    return 1 + std::round(ns * rates.clock_ghz / rates.fma_latency_clk);
  };
  const std::string alone = "dim_kind(mad.i0)=LOOP\n";
  const std::string copies =
      alone + "dim_kind(mad.i1)=LOOP\ndim_kind(mad.i2)=UNROLL\nsize(mad.i2)=4\n";
  const std::string vectors = fmt::format("dim_kind(mad.i3)=VECTOR\nsize(mad.i3)={}\n", lanes);
  EXPECT_EQ(steps(copies + vectors), 65536 / 4 / lanes);
  // Without lanes copies wait for each other.
  EXPECT_EQ(steps(copies + "dim_kind(mad.i3)=LOOP|UNROLL\n"), 65536);
  // What may have lanes still may have copies.
  EXPECT_LE(steps(copies), 65536 / 4 / lanes);
  EXPECT_LE(steps(alone + vectors), 65536 / 4 / lanes);
  EXPECT_EQ(steps(""), 1);
}

TEST(LowerBound, CoresShareBlocks) {
  search::ProblemOptions options;
  options.kernel = "matmul";
  options.size = "m=64,n=64,k=64";
  options.threads = 4;
  const search::Problem problem = search::MakeProblem(options);
  const DeviceRates rates = RatesOf(problem);
  const double alone = 64.0 * 64 * 64 / (rates.fma_per_clk * rates.clock_ghz);
  const LowerBound bound(*problem.task.function, rates);
  EXPECT_NEAR(TermNs(bound.Explain(DomainsOf(problem, problem.root())), "arithmetic"), alone / 4,
              1e-9);
  const runtime::Candidate one =
      Decided(problem,
              "dim_kind(store_c.m0)=LOOP|UNROLL\ndim_kind(store_c.m1)=LOOP|UNROLL\n"
              "dim_kind(store_c.m2)=LOOP|UNROLL\ndim_kind(store_c.m3)=LOOP|UNROLL\n"
              "dim_kind(store_c.n0)=LOOP|UNROLL\ndim_kind(store_c.n1)=LOOP|UNROLL\n"
              "dim_kind(store_c.n2)=LOOP|UNROLL\ndim_kind(store_c.n3)=LOOP|UNROLL|VECTOR\n"
              "dim_kind(mad.k0)=LOOP|UNROLL\n");
  EXPECT_NEAR(TermNs(bound.Explain(DomainsOf(problem, one)), "arithmetic"), alone, 1e-9);
}

TEST(LowerBound, BlocksDivideASum) {
  const search::Problem problem = MakeProblem("dot", "n=4096", "h200");
  const LowerBound bound(*problem.task.function, Nominal(problem));
  const auto explain = [&](const std::string& decisions) {
    return bound.Explain(DomainsOf(problem, Decided(problem, decisions)));
  };
  // Bytes of partial results that the busiest unit reads.
  const auto read = [](const Bound& explained) {
    const auto traffic = std::ranges::find(explained.terms, "traffic", &BoundTerm::resource);
    if (traffic == explained.terms.end()) return 0.0;
    const auto part = std::ranges::find(traffic->parts, "mad", &BoundPart::what);
    return part == traffic->parts.end() ? 0.0 : part->amount;
  };
  EXPECT_EQ(explain("").most_blocks, 4096);
  EXPECT_EQ(read(explain("")), 0);
  EXPECT_EQ(explain("dim_kind(mad.i0)=LOOP|UNROLL|THREAD\n").most_blocks, 1);
  const std::string parts = "dim_kind(mad.i0)=BLOCK\nsize(mad.i0)=256\n";
  const Bound open = explain(parts);
  EXPECT_EQ(open.least_blocks, 256);
  EXPECT_EQ(open.most_blocks, 256);
  EXPECT_THAT(open.assumed, Contains(HasSubstr("LAST_BLOCK or SECOND_LAUNCH")));
  EXPECT_EQ(read(open), 0);
  EXPECT_EQ(read(explain(parts + "across_blocks(mad)=ATOMIC_RED\n")), 0);
  for (const std::string way : {"LAST_BLOCK", "SECOND_LAUNCH", "LAST_BLOCK|SECOND_LAUNCH"}) {
    EXPECT_NEAR(read(explain(parts + "across_blocks(mad)=" + way + "\n")), 256.0 * 4 / 132, 1e-9);
  }
}

TEST(LowerBound, BlocksThatDivideSumsFillTheUnits) {
  const search::Problem problem = MakeProblem("matmul", "m=4,n=4,k=4096", "h200");
  const LowerBound bound(*problem.task.function, Nominal(problem));
  const auto arithmetic = [&](const std::string& decisions) {
    return TermNs(bound.Explain(DomainsOf(problem, Decided(problem, decisions))), "arithmetic");
  };
  // Of 132 units no more than 16 have results of their own.
  EXPECT_NEAR(arithmetic(kOfOneBlock), 4096 / 128.0 / 1.98, 1e-6);
  EXPECT_LT(arithmetic(""), 4096 / 128.0 / 1.98 / 8);
}

/// z = alpha * x + y on the device of the paper: blocks of 32 threads with 4 elements each.
class AxpyOfThreads : public testing::Test {
 protected:
  Bound Explain(const std::string& blocks, const std::string& copies) const {
    std::string decisions = "size(load_x.n0)=8192\nsize(load_x.n1)=32\n";
    for (const std::string nest : {"load_x", "load_y", "mad", "store_z"}) {
      // The device has no arithmetic of vectors.
      const bool is_scalar = nest == "mad" && copies == "VECTOR";
      decisions +=
          fmt::format("dim_kind({0}.n0)={1}\ndim_kind({0}.n1)=THREAD\ndim_kind({0}.n2)={2}\n", nest,
                      blocks, is_scalar ? "UNROLL" : copies);
    }
    return LowerBound(*problem().task.function, RatesOf(problem()))
        .Explain(DomainsOf(problem(), Decided(problem(), decisions)));
  }
  static const search::Problem& problem() {
    static const search::Problem made = MakeProblem("axpy", "n=1048576", "k4000", "paper");
    return made;
  }
  static double Clk(const Bound& bound, std::string_view resource) {
    return TermNs(bound, resource) * RatesOf(problem()).clock_ghz;
  }
  static constexpr double kRead = 175, kSum = 9;  ///< Clocks: kernels/devices/rates.
};

TEST_F(AxpyOfThreads, WaitInEachRound) {
  // A unit holds 16 blocks: 8192 of them are 128 times 64. Each has 4 rounds, and adds what the
  // last of them read.
  const Bound loop = Explain("BLOCK", "LOOP");
  EXPECT_NEAR(Clk(loop, "latency"), 128 * (4 * kRead + kSum), 1e-6);
  EXPECT_THAT(BoundText(loop), HasSubstr("4 rounds of load_x, 128 times with 16 blocks a unit"));
}

TEST_F(AxpyOfThreads, CopiesWaitTogether) {
  EXPECT_NEAR(Clk(Explain("BLOCK", "UNROLL"), "latency"), 128 * (kRead + kSum), 1e-6);
}

TEST_F(AxpyOfThreads, WaitHoweverManyBlocksThereAre) {
  // Blocks or rounds: all of 2048 places of threads have 512 points each.
  EXPECT_NEAR(Clk(Explain("BLOCK|LOOP", "LOOP"), "latency"), 512 * kRead, 1e-6);
}

TEST_F(AxpyOfThreads, LoopsInsideOfThreadsTakeMoreLines) {
  // A warp's 32 elements lie in 4 lines, of x, y and z; a unit has a quarter of the warps.
  const double warps = 1048576.0 / 32 / 4;
  EXPECT_NEAR(Clk(Explain("BLOCK", "LOOP"), "access"), 3 * 4 * warps, 1e-6);
  EXPECT_NEAR(Clk(Explain("BLOCK", "VECTOR"), "access"), 3 * warps, 1e-6);
  // 2 of the 8 elements of a sector are used; x and y are read.
  EXPECT_NEAR(Clk(Explain("BLOCK", "LOOP"), "cache"), 2.0 * 4 * 4 * 1048576 / 384, 1e-6);
}

TEST_F(Matmul1024, FirstTierIsThroughput) {
  const LowerBound bound(*problem().task.function, Nominal(problem()));
  const Domains domains = DomainsOf(
      problem(), Decided(problem(), std::string(kOuterBlocks) + "size(mad.m0)=32\nsize(mad.n0)=64\n"
                                                                "dim_kind(mad.m1)=LOOP\n"));
  const double both = bound.Ns(domains), first = bound.Ns(domains, 0);
  EXPECT_LE(first, both);
  EXPECT_GT(first, 0);
  EXPECT_EQ(bound.Ns(domains, both * 2), both);
}

TEST_F(Matmul1024, BlocksReadWhatTheyNeed) {
  // Blocks of 2 rows need all of B for every 2 * 1024 elements of C: a multiprocessor gets 32
  // elements a clock, and B is 1024 x 1024.
  const Bound bound = Explain(
      "dim_kind(mad.m0)=BLOCK\ndim_kind(mad.m1)=BLOCK\ndim_kind(mad.m2)=BLOCK\n"
      "dim_kind(mad.m3)=UNROLL\nsize(mad.m3)=2\n");
  EXPECT_GE(TermNs(bound, "access"), 512.0 * 1024 * 1024 / 32 / 132 / 1.98);
}

}  // namespace
}  // namespace exh::models
