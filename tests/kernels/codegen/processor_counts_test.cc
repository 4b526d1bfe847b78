// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/processor_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "tests/kernels/codegen/hand_backbone.h"
#include "tests/kernels/codegen/random_matmul.h"

namespace exh::kernels::codegen::testing {
namespace {

/// Registers of 16 floats, 28 of them for sums, and two threads.
ProcessorLimits Wide() {
  ProcessorLimits processor;
  processor.threads = 2;
  processor.vector_bytes = 64;
  processor.registers = 28;
  return processor;
}

class CountsOf {
 public:
  CountsOf(const ir::Function& f, const Schedule& s, const ProcessorLimits& processor = Wide()) {
    const LoweredCode code = LowerSchedule(f, s);
    EXPECT_EQ(code.error, "");
    if (code.error.empty()) counts_ = CountOnProcessor(code, processor);
  }
  double operator[](ProcessorCount count) const { return counts_[static_cast<std::size_t>(count)]; }

 private:
  ProcessorCounts counts_ = {};
};

const char kOuter[] = "load_x.n0 + load_y.n0 + mad.n0 + store.n0";
const char kMiddle[] = "load_x.n1 + load_y.n1 + mad.n1 + store.n1";
const char kInner[] = "load_x.n2 + load_y.n2 + mad.n2 + store.n2";

Items All() {
  return {Exec("load_x"), Exec("load_y"), Exec("mad"), Exec("store")};
}

TEST(ProcessorCounts, VectorsAreRegisters) {
  const ir::Function f = Axpy(8 * 128 * 16);
  const Schedule s = Draw(f, {Block(kOuter, 8, {Loop(kMiddle, 128, {Vector(kInner, 16, All())})})});
  const CountsOf wide(f, s);
  // Four blocks are a thread's.
  EXPECT_EQ(wide[ProcessorCount::kBlocks], 8);
  EXPECT_EQ(wide[ProcessorCount::kRounds], 4);
  EXPECT_EQ(wide[ProcessorCount::kArithmetic], 4 * 128);
  EXPECT_EQ(wide[ProcessorCount::kReads], 4 * 2 * 128);
  EXPECT_EQ(wide[ProcessorCount::kWrites], 4 * 128);
  EXPECT_EQ(wide[ProcessorCount::kTurns], 4 * 128);
  EXPECT_EQ(wide[ProcessorCount::kFootprint], 3 * 8 * 128 * 64);
  ProcessorLimits narrow = Wide();
  narrow.vector_bytes = 32;
  const CountsOf halves(f, s, narrow);
  EXPECT_EQ(halves[ProcessorCount::kArithmetic], 2 * wide[ProcessorCount::kArithmetic]);
  EXPECT_GT(halves[ProcessorCount::kBusy], wide[ProcessorCount::kBusy]);
}

/// The tiles of a product of 512, whose sums are in registers: rows, and vectors of columns.
Schedule Tile(const ir::Function& f, std::uint32_t rows, std::uint32_t vectors) {
  const auto along_columns = [&](const std::string& inst) {
    return Items{Unroll(inst + ".n1", vectors, {Vector(inst + ".n2", 16, {Exec(inst)})})};
  };
  Items step = along_columns("load_b");
  step.push_back(
      Unroll("load_a.m2 + mad.m2", rows, {Exec("load_a"), along_columns("mad").front()}));
  return Draw(f, {Loop("load_b.n0 + init.n0 + mad.n0 + store.n0", 512 / (16 * vectors),
                       {Loop("load_a.m0 + init.m0 + mad.m0 + store.m0", 256 / rows,
                             {Loop("load_a.m1 + init.m1 + mad.m1 + store.m1", 2,
                                   {Unroll("init.m2", rows, along_columns("init")),
                                    Loop("load_a.k0 + load_b.k0 + mad.k0", 256,
                                         {Unroll("load_a.k1 + load_b.k1 + mad.k1", 2, step)}),
                                    Unroll("store.m2", rows, along_columns("store"))})})})});
}

TEST(ProcessorCounts, SumsWaitForThemselvesAndThenSpill) {
  const ir::Function f = Matmul(512, 512, 512);
  const CountsOf few(f, Tile(f, 2, 1)), enough(f, Tile(f, 8, 2)), many(f, Tile(f, 16, 4));
  EXPECT_EQ(few[ProcessorCount::kArithmetic], enough[ProcessorCount::kArithmetic]);
  EXPECT_EQ(few[ProcessorCount::kHeld], 2);
  EXPECT_EQ(enough[ProcessorCount::kHeld], 16);
  EXPECT_EQ(many[ProcessorCount::kHeld], 64);
  // Each step of a sum waits four clocks for the one before; other sums go on meanwhile.
  const double steps = 512.0 * 512 * 512 / 16;
  EXPECT_EQ(few[ProcessorCount::kChained], 4 * steps / 2);
  EXPECT_EQ(enough[ProcessorCount::kChained], 4 * steps / 16);
  EXPECT_EQ(few[ProcessorCount::kSpilled], 0);
  EXPECT_EQ(enough[ProcessorCount::kSpilled], 0);
  EXPECT_GT(many[ProcessorCount::kSpilled], 0);
  EXPECT_GT(few[ProcessorCount::kBusy], 3 * enough[ProcessorCount::kBusy]);
  EXPECT_GT(many[ProcessorCount::kBusy], enough[ProcessorCount::kBusy]);
}

TEST(ProcessorCounts, CachesKeepWhatFitsBetweenTwoUses) {
  const ir::Function f = Matmul(512, 512, 512);
  const Schedule s = Tile(f, 8, 2);
  ProcessorLimits processor = Wide();
  processor.first_bytes = 1 << 20;
  processor.first_ways = 1 << 14;
  const CountsOf roomy(f, s, processor);
  processor.first_bytes = 1 << 15;
  processor.first_ways = 8;
  const CountsOf usual(f, s, processor);
  EXPECT_LT(roomy[ProcessorCount::kFromSecond], usual[ProcessorCount::kFromSecond]);
  // Two vectors of each row of the second factor, which are read again for each eight rows: they do
  // not stay, being so many lines of few sets.
  EXPECT_GE(usual[ProcessorCount::kFromSecond], 64.0 * 512 * 512 * 4);
  EXPECT_GE(roomy[ProcessorCount::kFromSecond], 3.0 * 512 * 512 * 4);
  // What all of it fits into has it in the next run.
  processor.second_bytes = 4 << 20;
  EXPECT_EQ(CountsOf(f, s, processor)[ProcessorCount::kFromBeyond], 0);
  processor.second_bytes = 1 << 19;
  EXPECT_GT(CountsOf(f, s, processor)[ProcessorCount::kFromBeyond], 0);
}

TEST(ProcessorCounts, CompilersMakeVectorsOfScalarsSideBySide) {
  const ir::Function f = Axpy(2 * 64 * 128);
  const Schedule along =
      Draw(f, {Block(kOuter, 2, {Loop(kMiddle, 64, {Loop(kInner, 128, All())})})});
  const Schedule across =
      Draw(f, {Block(kOuter, 2, {Loop(kInner, 128, {Loop(kMiddle, 64, All())})})});
  EXPECT_LT(4 * CountsOf(f, along)[ProcessorCount::kBusy],
            CountsOf(f, across)[ProcessorCount::kBusy]);
}

TEST(ProcessorCounts, AreNumbersThatAgree) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto random = MakeRandomMatmul(seed);
    const CountsOf counts(random->function, random->schedule);
    for (std::size_t number = 0; number < kNumProcessorCounts; ++number) {
      const auto which = static_cast<ProcessorCount>(number);
      EXPECT_TRUE(std::isfinite(counts[which]) && counts[which] >= 0) << seed << NameOf(which);
    }
    EXPECT_GE(counts[ProcessorCount::kGuess], counts[ProcessorCount::kBusy]) << seed;
    EXPECT_GE(counts[ProcessorCount::kGuess], counts[ProcessorCount::kMoving]) << seed;
    EXPECT_GT(counts[ProcessorCount::kFootprint], 0) << seed;
  }
}

TEST(ProcessorCounts, HaveNames) {
  std::set<std::string_view> names;
  for (std::size_t number = 0; number < kNumProcessorCounts; ++number) {
    const std::string_view name = NameOf(static_cast<ProcessorCount>(number));
    EXPECT_FALSE(name.empty());
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(NameOf(ProcessorCount::kGuess), "guessed ns");
}

TEST(ProcessorCounts, LimitsAreThoseOfTheDevice) {
  ir::Device device;
  device.threads = 4;
  device.vector_sizes = {2, 4, 8};
  device.max_registers = 104;
  device.shared_bytes = 512 << 10;
  const ProcessorLimits processor = LimitsOf(device);
  EXPECT_EQ(processor.threads, 4);
  EXPECT_EQ(processor.vector_bytes, 32);
  EXPECT_EQ(processor.registers, 13);
  EXPECT_EQ(processor.second_bytes, 1 << 20);
}

}  // namespace
}  // namespace exh::kernels::codegen::testing
