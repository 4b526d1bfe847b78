// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/static_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "tests/kernels/codegen/hand_backbone.h"
#include "tests/kernels/codegen/random_matmul.h"

namespace exh::kernels::codegen::testing {
namespace {

const char kOuter[] = "load_x.n0 + load_y.n0 + mad.n0 + store.n0";
const char kMiddle[] = "load_x.n1 + load_y.n1 + mad.n1 + store.n1";
const char kInner[] = "load_x.n2 + load_y.n2 + mad.n2 + store.n2";

Items All() {
  return {Exec("load_x"), Exec("load_y"), Exec("mad"), Exec("store")};
}

class Counts {
 public:
  Counts(const ir::Function& f, const Schedule& s, const GpuLimits& gpu = {},
         BankSearch search = BankSearch::kFull) {
    const LoweredCode code = LowerSchedule(f, s, Fault::kNone, TensorForm::kLanes, search);
    EXPECT_EQ(code.error, "");
    if (code.error.empty()) counts_ = CountStatically(code, gpu);
  }
  double operator[](StaticCount count) const { return counts_[static_cast<std::size_t>(count)]; }

 private:
  StaticCounts counts_ = {};
};

TEST(StaticCounts, NeighbouringLanesShareSectors) {
  const ir::Function f = Axpy(1024);
  const Counts along(
      f, Draw(f, {Block(kOuter, 8, {Loop(kMiddle, 4, {Thread(0, kInner, 32, All())})})}));
  // Two reads and a write, four times: each is 32 elements of 4 bytes.
  EXPECT_EQ(along[StaticCount::kReads], 8);
  EXPECT_EQ(along[StaticCount::kWrites], 4);
  EXPECT_EQ(along[StaticCount::kLines], 12);
  EXPECT_EQ(along[StaticCount::kSectors], 48);
  EXPECT_EQ(along[StaticCount::kLooseSectors], 0);
  EXPECT_EQ(along[StaticCount::kFromL2], 48);
  EXPECT_EQ(along[StaticCount::kSharedUses], 0);
  const Counts apart(
      f, Draw(f, {Thread(0, kOuter, 32, {Loop(kMiddle, 4, {Loop(kInner, 8, All())})})}));
  // Each lane is in a line of its own, 32 times. The first cache keeps what is read.
  EXPECT_EQ(apart[StaticCount::kReads], 64);
  EXPECT_EQ(apart[StaticCount::kLines], 3 * 32 * 32);
  EXPECT_EQ(apart[StaticCount::kSectors], 3 * 32 * 32);
  EXPECT_EQ(apart[StaticCount::kLooseSectors], 3 * 32 * 28);
  EXPECT_EQ(apart[StaticCount::kFromL2], 2 * 128 + 32 * 32);
  EXPECT_GT(apart[StaticCount::kBusy], along[StaticCount::kBusy]);
}

/// What 32 threads write down columns of 64 elements, others read along rows.
Schedule Transposed(const ir::Function& f) {
  const std::string read = "tmp.load_x.ld", rest = " + load_y.n0 + mad.n0 + store.n0";
  return Draw(f,
              {Thread(0, "load_x.n0 + tmp.load_x.st.n0", 32,
                      {Loop("load_x.n1 + tmp.load_x.st.n1", 2,
                            {Loop("load_x.n2 + tmp.load_x.st.n2", 32,
                                  {Exec("load_x"), Exec("tmp.load_x.st")})})}),
               Thread(0, "tmp.load_x.ld.n2 + load_y.n2 + mad.n2 + store.n2", 32,
                      {Loop("tmp.load_x.ld.n0" + rest, 32,
                            {Loop("tmp.load_x.ld.n1 + load_y.n1 + mad.n1 + store.n1", 2,
                                  {Exec(read), Exec("load_y"), Exec("mad"), Exec("store")})})})},
              {{"tmp.load_x", {MemSpace::SHARED, {"n2", "n1", "n0"}}}});
}

TEST(StaticCounts, LanesOfOneBankWait) {
  const ir::Function f = Axpy(2048);
  Schedule s = Transposed(f);
  const Counts plain(f, s);
  EXPECT_EQ(plain[StaticCount::kShared], 2048 * 4);
  EXPECT_EQ(plain[StaticCount::kSharedUses], 64 + 64);
  EXPECT_EQ(plain[StaticCount::kWavefronts], 64 * 32 + 64);
  EXPECT_EQ(plain[StaticCount::kConflicts], 64 * 31);
  EXPECT_EQ(plain[StaticCount::kBarriers], 1);
  for (const ir::MemBlock& block : f.blocks) {
    if (s.InBlocks(block.id)) s.skew.Set(block.id, Skew::XOR);
  }
  const Counts found(f, s);
  EXPECT_LT(found[StaticCount::kConflicts], 64 * 31);
  // A layout that was not looked for is taken to be the best.
  const Counts hoped(f, s, {}, BankSearch::kNone);
  EXPECT_EQ(hoped[StaticCount::kConflicts], 0);
  EXPECT_EQ(hoped[StaticCount::kWavefronts], 64 + 64);
}

TEST(StaticCounts, BlocksComeInWaves) {
  const ir::Function f = Axpy(10 * 2 * 256);
  const Schedule s =
      Draw(f, {Block(kOuter, 10, {Loop(kMiddle, 2, {Thread(0, kInner, 256, All())})})});
  GpuLimits gpu;
  gpu.units = 2;
  gpu.warps = 16;
  const Counts two(f, s, gpu);  // Blocks of 8 warps at once on each of two units: 4, 4, 2.
  EXPECT_EQ(two[StaticCount::kBlocks], 10);
  EXPECT_EQ(two[StaticCount::kWarps], 8);
  EXPECT_EQ(two[StaticCount::kResidentWarps], 16);
  EXPECT_EQ(two[StaticCount::kWaves], 3);
  EXPECT_NEAR(two[StaticCount::kLastWave], 100 * 10.0 / 12, 1e-9);
  EXPECT_EQ(two[StaticCount::kReads], 5 * 2 * 2 * 8);  // Five blocks of a unit.
  gpu.warps = 8;
  const Counts one(f, s, gpu);
  EXPECT_EQ(one[StaticCount::kResidentWarps], 8);
  EXPECT_EQ(one[StaticCount::kWaves], 5);
  EXPECT_EQ(one[StaticCount::kChain], two[StaticCount::kChain]);
  EXPECT_NEAR(one[StaticCount::kWaiting] / two[StaticCount::kWaiting], 5.0 / 3, 1e-9);
  // Registers are a limit, too, and a program may ask for few of them.
  gpu.warps = 64;
  gpu.registers = 256 * 32;
  EXPECT_EQ(Counts(f, s, gpu)[StaticCount::kResidentWarps], 8);
  Schedule asks = s;
  asks.min_blocks.Set(2);
  EXPECT_EQ(Counts(f, asks, gpu)[StaticCount::kResidentWarps], 16);
}

TEST(StaticCounts, CopiesAreTextAndTurnsAreNot) {
  const ir::Function f = Axpy(24);
  const Counts copied(f,
                      Draw(f, {Loop(kOuter, 2, {Unroll(kMiddle, 3, {Unroll(kInner, 4, All())})})}));
  const Counts looped(f, Draw(f, {Loop(kOuter, 2, {Loop(kMiddle, 3, {Loop(kInner, 4, All())})})}));
  EXPECT_EQ(copied[StaticCount::kText], 12 * 4 + 3);  // A loop takes three.
  EXPECT_EQ(copied[StaticCount::kSteps], 2 * (12 * 4 + 3));
  EXPECT_EQ(copied[StaticCount::kTurns], 2);
  EXPECT_EQ(looped[StaticCount::kText], 4 + 3 * 3);
  EXPECT_EQ(looped[StaticCount::kTurns], 2 + 6 + 24);
  EXPECT_EQ(copied[StaticCount::kArithmetic], 24);
  EXPECT_EQ(looped[StaticCount::kArithmetic], 24);
  // Copies ask for all that they read before they wait.
  const GpuLimits gpu;
  EXPECT_GE(looped[StaticCount::kChain], 24 * gpu.read_latency_clk);
  EXPECT_LT(copied[StaticCount::kChain], 3 * gpu.read_latency_clk);
}

TEST(StaticCounts, NobodyWaitsForWhatWasReadAhead) {
  const ir::Function f = Axpy(24);
  Schedule s = Draw(f, {Loop(kOuter, 2, {Loop(kMiddle, 3, {Loop(kInner, 4, All())})})});
  const Counts late(f, s);
  for (const ir::Instruction& inst : f.insts) {
    if (inst.op == ir::Op::kLoad) s.advance.Set(inst.id, Advance::ONE_AHEAD);
  }
  const Counts early(f, s);
  const GpuLimits gpu;
  EXPECT_EQ(late[StaticCount::kChain] - early[StaticCount::kChain], 24 * gpu.read_latency_clk);
}

TEST(StaticCounts, OfWhatBlocksDivide) {
  double met = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto none = MakeRandomMatmul(seed);
    const Counts whole(none->function, none->schedule);
    EXPECT_EQ(whole[StaticCount::kLaunches], 0);
    EXPECT_EQ(whole[StaticCount::kHandedOver], 0);
    const auto last = MakeRandomMatmul(seed, ir::Type::kF32, AcrossBlocks::LAST_BLOCK);
    const Counts tickets(last->function, last->schedule);
    EXPECT_EQ(tickets[StaticCount::kLaunches], 0);
    EXPECT_GT(tickets[StaticCount::kHandedOver], 0) << seed;
    met += tickets[StaticCount::kMet];
    const auto second = MakeRandomMatmul(seed, ir::Type::kF32, AcrossBlocks::SECOND_LAUNCH);
    EXPECT_EQ(Counts(second->function, second->schedule)[StaticCount::kLaunches], 1) << seed;
  }
  EXPECT_GT(met, 0);
}

TEST(StaticCounts, AreNumbersThatAgree) {
  double conflicts = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto random = MakeRandomMatmul(seed);
    const Counts counts(random->function, random->schedule);
    for (std::size_t number = 0; number < kNumCounts; ++number) {
      const double count = counts[static_cast<StaticCount>(number)];
      EXPECT_TRUE(std::isfinite(count) && count >= 0)
          << seed << NameOf(static_cast<StaticCount>(number));
    }
    EXPECT_LE(counts[StaticCount::kConflicts], counts[StaticCount::kWavefronts]) << seed;
    EXPECT_LE(counts[StaticCount::kLooseSectors], counts[StaticCount::kSectors]) << seed;
    EXPECT_LE(counts[StaticCount::kLines], counts[StaticCount::kSectors] * 32) << seed;
    EXPECT_GE(counts[StaticCount::kGuess], counts[StaticCount::kBusy]) << seed;
    EXPECT_GE(counts[StaticCount::kGuess], counts[StaticCount::kWaiting]) << seed;
    conflicts += counts[StaticCount::kConflicts];
  }
  EXPECT_GT(conflicts, 0);
}

TEST(StaticCounts, HaveNames) {
  std::set<std::string_view> names;
  for (std::size_t number = 0; number < kNumCounts; ++number) {
    const std::string_view name = NameOf(static_cast<StaticCount>(number));
    EXPECT_FALSE(name.empty());
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(NameOf(StaticCount::kWaves), "waves of blocks");
  EXPECT_EQ(NameOf(StaticCount::kGuess), "guessed ns");
}

}  // namespace
}  // namespace exh::kernels::codegen::testing
