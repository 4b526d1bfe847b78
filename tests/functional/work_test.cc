// SPDX-License-Identifier: MIT
//
// What lowering counts, and what is guessed from it.
#include "functional/code/work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "functional/code/gpu_program.h"
#include "search/functional/joint_space.h"
#include "search/functional/mapped_program.h"
#include "search/functional/program_costs.h"

namespace exh::tests {
namespace {

using functional::Threads;
using functional::WorkLoops;
using kernels::ir::Index;
using kernels::ir::IndexVariable;
using search::RoughNs;
using search::WhyHopeless;
using testing::HasSubstr;

WorkLoops Loops() {
  return {{3, 10, 10, -1, false}, {4, 1, 64, 0, false}, {5, 4, 4, -1, true}};
}
Index I() {
  return Index(IndexVariable::Of(3, "i", 10));
}
Index T() {
  return Index(IndexVariable::Of(4, "t", 64));
}
Index U() {
  return Index(IndexVariable::Of(5, "u", 4));
}

TEST(Work, LanesSideBySideTouchFewSectors) {
  const Index t = T(), i = I();
  const Threads row = {64, 1, 1}, square = {8, 8, 1};
  EXPECT_EQ(SectorsOf(Loops(), row, t + i * 64), 4);
  EXPECT_EQ(SectorsOf(Loops(), row, t * 2), 8);
  EXPECT_EQ(SectorsOf(Loops(), row, t * 8), 32);
  EXPECT_EQ(SectorsOf(Loops(), row, i), 1);
  // 32 lanes of a square are eight of the row, four times.
  EXPECT_EQ(SectorsOf(Loops(), square, t), 1);
  EXPECT_EQ(SectorsOf(Loops(), {2, 1, 1}, t * 8), 2);
}

TEST(Work, LanesOfOneBankWait) {
  const Index t = T();
  const Threads row = {64, 1, 1};
  EXPECT_EQ(WavefrontsOf(Loops(), row, t), 1);
  EXPECT_EQ(WavefrontsOf(Loops(), row, t * 2), 2);
  EXPECT_EQ(WavefrontsOf(Loops(), row, t * 32), 32);
  EXPECT_EQ(WavefrontsOf(Loops(), row, t * 33), 1);
  EXPECT_EQ(WavefrontsOf(Loops(), row, t.Div(4)), 1);  // They read the same word.
}

TEST(Work, IsDoneWhereItChanges) {
  const Index i = I(), u = U();
  EXPECT_EQ(TimesOf(Loops()), 40);
  EXPECT_EQ(TimesOf(Loops(), Index()), 1);
  EXPECT_EQ(TimesOf(Loops(), i), 10);
  EXPECT_EQ(TimesOf(Loops(), u), 4);
  EXPECT_EQ(TimesOf(Loops(), i + u * 10), 40);
  // Two of four copies have the same address.
  EXPECT_EQ(TimesOf(Loops(), i + u.Div(2) * 10), 20);
}

constexpr const char* kProduct = R"(
size n = 64
input a: [[float]n]n
input b: [[float]n]n
kernel c: [[float]n]n =
  map@rows(row -> map@columns(column ->
      toGlobal(id(reduce(toPrivate(id(0.0)), (sum, (x, y)) -> sum + x * y, zip(row, column)))),
    transpose(b)), a)
)";

functional::GpuProgram Product(std::int64_t n, const functional::Codes& codes) {
  const search::MappedProgram program("product", kProduct, {{"n", n}});
  return functional::Lower(program.program(), {}, {codes}, {});
}

TEST(Work, OfAProductIsItsSums) {
  const functional::GpuWork alone = Product(64, {0, 0}).launches[0].work;
  constexpr double kSums = 64.0 * 64 * 64;
  EXPECT_GT(alone.steps, 1.5 * kSums);
  EXPECT_LT(alone.steps, 8 * kSums);
  EXPECT_EQ(alone.reads, 2 * kSums);
  EXPECT_EQ(alone.private_floats, 1);
  // A row a group, a column a thread: lanes read the same of a, and neighbours of b.
  const functional::GpuWork divided = Product(64, {20, 10}).launches[0].work;
  EXPECT_EQ(divided.reads, 2 * 64);
  EXPECT_EQ(divided.sectors, 64 * (1 + 4) + 4);
  EXPECT_EQ(divided.barriers, 0);
  // And the other way round.
  EXPECT_EQ(Product(64, {10, 20}).launches[0].work.sectors, 64 * (32 + 1) + 32);
}

models::DeviceRates Rates() {
  models::DeviceRates rates;
  rates.units = 132;
  rates.clock_ghz = 2;
  return rates;
}

TEST(Work, OfOneThreadIsHopelessWhenItIsLong) {
  EXPECT_EQ(WhyHopeless(Product(64, {0, 0}), Rates()), "");
  EXPECT_THAT(WhyHopeless(Product(1024, {0, 0}), Rates()), HasSubstr("of 1 warps one has"));
  EXPECT_EQ(WhyHopeless(Product(1024, {20, 10}), Rates()), "");
  // As long, but all of the device has it.
  EXPECT_EQ(WhyHopeless(Product(8192, {20, 10}), Rates()), "");
}

TEST(Work, RoughTimesTellGoodMappingsFromBadOnes) {
  const double good = RoughNs(Product(1024, {20, 10}), Rates());
  EXPECT_LT(10 * good, RoughNs(Product(1024, {0, 10}), Rates()));
  EXPECT_LT(10 * good, RoughNs(Product(1024, {20, 0}), Rates()));
}

/// What a cost model is told of the mapping: the last number is the guess.
std::vector<double> CostsOf(const functional::Codes& codes,
                            const functional::ProgramLimits& limits) {
  const search::MappedProgram program("product", kProduct, {{"n", 256}});
  const auto instance = search::FreezeJoint(program.constraints(),
                                            lift::MakeProgram(program.Tree().maps, lift::Rules{}));
  runtime::Candidate candidate(instance);
  std::vector<runtime::Action> actions;
  for (std::size_t map = 0; map < codes.size(); ++map) {
    const int choice = instance->FindChoice("code_" + std::to_string(map));
    const auto decision = instance->FindDecision(choice, {});
    const auto universe = instance->universe(decision->id);
    const auto value = std::ranges::find(universe, static_cast<std::uint32_t>(codes[map]));
    EXPECT_NE(value, universe.end());
    actions.push_back(
        runtime::Action::Take(decision->id, static_cast<int>(value - universe.begin())));
  }
  EXPECT_EQ(candidate.Restrict(actions), runtime::Propagation::kFixpoint);
  const search::AmountsFunction costs = search::CostsOfPrograms(program, limits, Rates());
  std::vector<double> all(costs.count);
  costs.fill(candidate, all);
  EXPECT_EQ(costs.guess, all.size() - 1);
  return all;
}

TEST(Work, GuessesOrderMappings) {
  const functional::ProgramLimits limits;
  const double elements = CostsOf({20, 10}, limits).back();  // A thread does one.
  const double rows = CostsOf({30, 0}, limits).back();       // A thread does a row.
  const double alone = CostsOf({0, 0}, limits).back();
  EXPECT_GT(elements, 1000);
  EXPECT_LT(50 * elements, rows);
  EXPECT_LT(50 * rows, alone);
}

TEST(Work, WhatCannotBeRunIsWorseThanAnyTime) {
  functional::ProgramLimits limits;
  limits.private_floats = 0;
  EXPECT_EQ(CostsOf({20, 10}, limits).back(), 1e12);
}

}  // namespace
}  // namespace exh::tests
