// SPDX-License-Identifier: MIT
#include "kernels/fused/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "kernels/fused/group.h"
#include "kernels/fused/inputs.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/run/problem.h"
#include "tests/kernels/fused/operator_files.h"
#include "tests/kernels/fused/operator_text.h"
#include "tests/kernels/fused/statement_oracle.h"

namespace exh::kernels::fused {
namespace {

using testing::GraphOf;
using testing::OperationText;
using testing::OperatorJson;

/// The last tensor of an operator, of these inputs.
ArrayData ValuesOf(const std::vector<std::string>& inputs,
                   const std::vector<OperationText>& operations,
                   std::vector<std::vector<double>> values) {
  const std::string& last = operations.back().output;
  const Graph graph = GraphOf(OperatorJson(inputs, operations, {last.substr(0, last.find(':'))}));
  values.resize(graph.tensors.size());
  return Evaluate(StatementsOf(graph), values).back();
}

constexpr double kUnit = 0x1p-24;

TEST(Reference, ValuesOfNarrowTypesAreRounded) {
  const ArrayData half = ValuesOf({"x: float16 [2]"}, {{"Add", {"x", "x"}, "y: float16 [2]"}},
                                  {{0.0999755859375, 2047}});
  EXPECT_EQ(half.reference, (std::vector<double>{0.199951171875, 4094}));
  // 1 + 2^-11 is between two halves: the even one.
  const ArrayData even = ValuesOf(
      {"x: float16 [1]"}, {{"Add", {"x", "0.00048828125: float16"}, "y: float16 [1]"}}, {{1}});
  EXPECT_EQ(even.reference, std::vector<double>{1});
  const ArrayData large =
      ValuesOf({"x: float16 [1]"}, {{"Mul", {"x", "x"}, "y: float16 [1]"}}, {{300}});
  EXPECT_EQ(large.reference, std::vector<double>{INFINITY});
}

TEST(Reference, IntegersWrapAndAreExact) {
  const ArrayData wrapped =
      ValuesOf({"x: int32 [1]"}, {{"Mul", {"x", "x"}, "y: int32 [1]"}}, {{65537}});
  EXPECT_EQ(wrapped.reference, std::vector<double>{131073});
  EXPECT_EQ(wrapped.tolerance, std::vector<double>{0});
  // Beyond what a double holds, in one product and in a row of them.
  const std::vector<std::vector<double>> large = {{2147483647, -2147483645}};
  const std::vector<std::string> two = {"x: int32 [2]"};
  EXPECT_EQ(ValuesOf(two, {{"Mul", {"x", "x"}, "y: int32 [2]"}}, large).reference,
            (std::vector<double>{1, 9}));
  EXPECT_EQ(ValuesOf(two, {{"ReduceProd", {"x"}, "y: int32 [1]", {{"axis", 0}}}}, large).reference,
            std::vector<double>{-3});
  const ArrayData sum = ValuesOf(
      {"x: int8 [3]"}, {{"ReduceSum", {"x"}, "y: int8 [1]", {{"axis", 0}}}}, {{100, 100, 100}});
  EXPECT_EQ(sum.reference, std::vector<double>{44});
  EXPECT_EQ(sum.tolerance, std::vector<double>{0});
}

TEST(Reference, ToleratesWhatRoundingsAre) {
  // One rounding of 0.03 is u 0.03 at most; the worst case is taken twice.
  const double tenth = static_cast<double>(0.1F), other = static_cast<double>(0.3F);
  const ArrayData product =
      ValuesOf({"x: float32 [1]"}, {{"Mul", {"x", "0.3: float32"}, "y: float32 [1]"}}, {{tenth}});
  EXPECT_NEAR(product.tolerance[0], 2 * kUnit * (tenth * other), 1e-12);
  // What a float holds is not rounded: nothing else can come of it.
  const ArrayData exact =
      ValuesOf({"x: float32 [1]"}, {{"Add", {"x", "0.5: float32"}, "y: float32 [1]"}}, {{0.25}});
  EXPECT_EQ(exact.tolerance[0], 0);
  const ArrayData moved = ValuesOf({"x: float32 [1]"}, {{"Neg", {"x"}, "y: float32 [1]"}}, {{0.3}});
  EXPECT_EQ(moved.tolerance[0], 0);
  // A half that comes of a rounding may be its neighbour.
  const ArrayData half = ValuesOf(
      {"x: float32 [1]"},
      {{"Mul", {"x", "0.3: float32"}, "a: float32 [1]"}, {"Cast", {"a"}, "y: float16 [1]"}},
      {{3.3}});
  EXPECT_GT(half.tolerance[0], 0x1p-11);
  EXPECT_LT(half.tolerance[0], 0x1p-9);
  // … and one that comes of none is what it is.
  const ArrayData cast = ValuesOf({"x: float32 [1]"}, {{"Cast", {"x"}, "y: float16 [1]"}}, {{0.1}});
  EXPECT_EQ(cast.tolerance[0], 0);
}

TEST(Reference, WhatIsExactIsToleratedNoError) {
  // Products and sums of halves are exact in f32, whatever comes of them as halves.
  std::vector<OperationText> chain = {{"Mul", {"x", "x"}, "a0: float16 [1]"}};
  for (int i = 0; i < 20; ++i) {
    const std::string from = "a" + std::to_string(i), to = "a" + std::to_string(i + 1);
    chain.push_back({i % 2 == 0 ? "Add" : "Mul", {from, "x"}, to + ": float16 [1]"});
  }
  EXPECT_EQ(ValuesOf({"x: float16 [1]"}, chain, {{0.7001953125}}).tolerance[0], 0);
  // A function errs, and halves behind it by a few units; a chain of them by no more than eight.
  std::vector<OperationText> functions = {{"Exp", {"x"}, "a0: float16 [1]"}};
  for (int i = 0; i < 20; ++i) {
    const std::string from = "a" + std::to_string(i), to = "a" + std::to_string(i + 1);
    functions.push_back({i % 2 == 0 ? "Tanh" : "Exp", {from}, to + ": float16 [1]"});
  }
  const ArrayData values = ValuesOf({"x: float16 [1]"}, functions, {{0.7001953125}});
  EXPECT_GT(values.tolerance[0], 0);
  EXPECT_LT(values.tolerance[0], 10 * 0x1p-10 * values.reference[0]);
  // Sums of whole numbers are exact in any order, up to 2^24.
  const std::vector<OperationText> sum = {{"ReduceSum", {"x"}, "y: float32 [1]", {{"axis", 0}}}};
  EXPECT_EQ(ValuesOf({"x: float32 [3]"}, sum, {{1 << 22, -3, 7}}).tolerance[0], 0);
  EXPECT_GT(ValuesOf({"x: float32 [3]"}, sum, {{1 << 24, -3, 7}}).tolerance[0], 0);
  EXPECT_GT(ValuesOf({"x: float32 [3]"}, sum, {{0x1p-30, -3, 7}}).tolerance[0], 0);
}

TEST(Reference, KnowsWhatRoundingsDecide) {
  const std::vector<OperationText> divide = {{"Mul", {"x", "0.1: float32"}, "a: float32 [1]"},
                                             {"Mul", {"z", "0.1: float32"}, "c: float32 [1]"},
                                             {"Sub", {"a", "c"}, "b: float32 [1]"},
                                             {"Reciprocal", {"b"}, "y: float32 [1]"}};
  const std::vector<std::string> both = {"x: float32 [1]", "z: float32 [1]"};
  // The difference is 0 or it is next to 0.
  const double third = static_cast<double>(1 / 3.0F);
  EXPECT_FALSE(ValuesOf(both, divide, {{third}, {third}}).is_known);
  EXPECT_TRUE(ValuesOf(both, divide, {{third}, {2}}).is_known);
  // Of exact numbers it is known.
  const std::vector<OperationText> exact = {{"Sub", {"x", "z"}, "b: float32 [1]"},
                                            {"Reciprocal", {"b"}, "y: float32 [1]"}};
  const ArrayData infinite = ValuesOf(both, exact, {{2}, {2}});
  EXPECT_TRUE(infinite.is_known);
  EXPECT_EQ(infinite.reference[0], INFINITY);
}

TEST(Reference, LimitsTheMeanOfErrorsThatAreIndependent) {
  const auto limit = [](const std::string& scale) {
    const std::string of = ": float32 [100, 40]";
    std::vector<OperationText> chain = {{"Mul", {"x", scale}, "a0" + of}};
    for (int i = 0; i < 20; ++i) {
      const std::string from = "a" + std::to_string(i), to = "a" + std::to_string(i + 1);
      chain.push_back({"Tanh", {from}, to + of});
    }
    const Graph graph = GraphOf(
        OperatorJson({"x" + of, "s: float32 [1]"}, chain, {chain.back().output.substr(0, 3)}));
    std::vector<std::vector<double>> inputs = DrawInputs(graph, 3);
    return Evaluate(StatementsOf(graph), inputs).back().rms_limit;
  };
  EXPECT_LT(limit("s"), 0.1);
  // What all elements have of one number, they have in common.
  const Graph common = GraphOf(OperatorJson(
      {"x: float32 [100]", "s: float32 [1]"},
      {{"Exp", {"s"}, "e: float32 [1]"}, {"Mul", {"x", "e"}, "y: float32 [100]"}}, {"y"}));
  EXPECT_EQ(Evaluate(StatementsOf(common), DrawInputs(common, 3)).back().rms_limit, 1);
}

TEST(Reference, ANanWinsInExtremes) {
  const double nan = NAN;
  for (const char* kind : {"Maximum", "Minimum"}) {
    const ArrayData first =
        ValuesOf({"x: float32 [1]"}, {{kind, {"x", "0: float32"}, "y: float32 [1]"}}, {{nan}});
    const ArrayData second =
        ValuesOf({"x: float32 [1]"}, {{kind, {"0: float32", "x"}, "y: float32 [1]"}}, {{nan}});
    EXPECT_TRUE(std::isnan(first.reference[0])) << kind;
    EXPECT_TRUE(std::isnan(second.reference[0])) << kind;
  }
  for (const char* kind : {"ReduceMax", "ReduceMin"}) {
    const std::vector<OperationText> reduce = {{kind, {"x"}, "y: float32 [1]", {{"axis", 0}}}};
    EXPECT_TRUE(std::isnan(ValuesOf({"x: float32 [3]"}, reduce, {{1, nan, 2}}).reference[0]))
        << kind;
    EXPECT_TRUE(std::isnan(ValuesOf({"x: float32 [3]"}, reduce, {{nan, nan, nan}}).reference[0]));
  }
}

// A rounding error near the threshold decides a comparison otherwise.
TEST(Reference, ComparisonsOfWhatErrsAreUncertain) {
  const std::vector<OperationText> operations = {{"Mul", {"x", "0.1: float32"}, "a: float32 [2]"},
                                                 {"Less", {"a", "x"}, "y: bool [2]"}};
  const ArrayData values = ValuesOf({"x: float32 [2]"}, operations, {{0, 1}});
  EXPECT_EQ(values.reference, (std::vector<double>{0, 1}));
  EXPECT_EQ(values.tolerance[1], 0);
}

TEST(Reference, WritesInPlaceAreSeenBehindThem) {
  const Graph graph = GraphOf(OperatorJson({"p: float32 [2]", "x: float32 [2]"},
                                           {{"Add", {"p", "x"}, "s: float32 [2]"},
                                            {"Assign", {"p", "s"}, "f: float32 [2]"},
                                            {"Mul", {"p", "x"}, "y: float32 [2]"}},
                                           {"f", "y"}));
  std::vector<std::vector<double>> inputs(graph.tensors.size());
  inputs[0] = {1, 2};
  inputs[1] = {10, 20};
  for (const bool groups : {false, true}) {
    const StatementList list = StatementsOf(graph);
    const auto values = Evaluate(groups ? Grouped(list) : list, inputs);
    EXPECT_EQ(values[0].reference, (std::vector<double>{11, 22}));
    EXPECT_EQ(values.back().reference, (std::vector<double>{110, 440}));
  }
}

// Of -2^-100 * 2^-100 + 0 a program has -0 if it multiplies and adds at once, and else 0.
TEST(Reference, TheSignOfWhatVanishesIsNotKnown) {
  const ArrayData sum = ValuesOf({"x: float32 [2]", "z: float32 [2]"},
                                 {{"Mul", {"x", "7.888609e-31: float32"}, "p: float32 [2]"},
                                  {"Add", {"p", "z"}, "y: float32 [2]"}},
                                 {{-0x1p-100, 0}, {0, 0}});
  EXPECT_EQ(sum.reference, (std::vector<double>{0, 0}));
  EXPECT_GT(sum.tolerance[0], 0);
  EXPECT_EQ(sum.tolerance[1], 0);
}

TEST(Reference, WhatIsTooLargeIsSaid) {
  const Graph graph =
      GraphOf(OperatorJson({"x: float32 [1024]"}, {{"Exp", {"x"}, "y: float32 [1024]"}}, {"y"}));
  EXPECT_THROW(Evaluate(StatementsOf(graph), DrawInputs(graph, 1), 1024), TooLarge);
}

// An interpreter that goes through statements point by point, and knows no expressions.
TEST(Reference, IsWhatStatementsYieldPointByPoint) {
  for (const auto& [name, graph] : testing::AllOperators()) {
    const StatementList list = StatementsOf(graph);
    const auto inputs = DrawInputs(graph, 7);
    const auto values = Evaluate(list, inputs);
    const auto by_statement = testing::ValuesByStatement(list, inputs);
    for (std::size_t i = 0; i < list.tensors.size(); ++i) {
      if (!list.tensors[i].is_result()) continue;
      const ArrayData& of = values[i];
      const testing::TensorValues& wanted = by_statement[i];
      const std::string what = name + " " + list.tensors[i].name;
      ASSERT_EQ(of.reference.size(), wanted.values.size()) << what;
      EXPECT_TRUE(of.is_known || !wanted.is_known) << what;
      // Elements of a product of matrices have rows of terms in common, and err together: what
      // goes through points one by one does not see that.
      const double shared = name == "products" ? 2 : 1.5;
      EXPECT_LE(of.rms_limit, shared * wanted.rms_limit) << what;
      for (std::size_t j = 0; j < wanted.values.size(); ++j) {
        const double value = wanted.values[j], tolerance = wanted.tolerance[j];
        if (!std::isfinite(value)) {
          EXPECT_EQ(std::isnan(of.reference[j]), std::isnan(value)) << what;
          continue;
        }
        EXPECT_NEAR(of.reference[j], value, tolerance * 1e-6) << what << " at " << j;
        // Of products of matrices nobody looks whether a single element is exact.
        if (name == "products" && tolerance == 0) continue;
        EXPECT_EQ(of.tolerance[j] == 0, tolerance == 0) << what << " at " << j;
        EXPECT_GE(of.tolerance[j], tolerance / 1.5) << what << " at " << j;
        EXPECT_LE(of.tolerance[j], tolerance * 1.5) << what << " at " << j;
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(Reference, HearsItsToken) {
  const Graph graph = GraphOf(OperatorJson(
      {"x: float32 [1024]"}, {{"ReduceSum", {"x"}, "y: float32 [1]", {{"axis", 0}}}}, {"y"}));
  StopToken stop;
  const auto inputs = DrawInputs(graph, 1, &stop);
  EXPECT_EQ(Evaluate(StatementsOf(graph), inputs, 1 << 20, &stop).size(), graph.tensors.size());
  stop.Stop();
  EXPECT_THROW(DrawInputs(graph, 1, &stop), Interrupted);
  EXPECT_THROW(Evaluate(StatementsOf(graph), inputs, 1 << 20, &stop), Interrupted);
}

TEST(Reference, OfWhatIsTooLargeNothingIsDrawn) {
  const Graph graph = GraphOf(OperatorJson({"x: float32 [65536, 32767]"},
                                           {{"Exp", {"x"}, "y: float32 [65536, 32767]"}}, {"y"}));
  const OperatorProgram program = ProgramOf(StatementsOf(graph));
  // Drawing would hear the token first, and take 17 GB.
  StopToken stop;
  stop.Stop();
  EXPECT_THROW(OperatorProblem(graph, program, 1, std::uint64_t{1} << 30, &stop), TooLarge);
  EXPECT_EQ(ReferenceBytes(program.list), 65536ULL * 32767 * (8 + 4 + 4 * 8));
}

// The innermost extents are beyond a row of 512 points.
TEST(Reference, LongRowsAreWhole) {
  const Graph graph =
      GraphOf(OperatorJson({"x: int32 [3, 1300]"},
                           {{"Transpose", {"x"}, "a: int32 [1300, 3]", {{"perm", {1, 0}}}},
                            {"Reshape", {"a"}, "b: int32 [3900]"},
                            {"Tile", {"b"}, "c: int32 [7800]", {{"multiples", {2}}}},
                            {"ReduceSum", {"c"}, "y: int32 [1]", {{"axis", 0}}}},
                           {"c", "y"}));
  std::vector<std::vector<double>> inputs(graph.tensors.size());
  for (int i = 0; i < 3900; ++i) inputs[0].push_back(i);
  const auto values = Evaluate(StatementsOf(graph), inputs);
  EXPECT_EQ(values[3].reference[5000], inputs[0][(5000 - 3900) % 3 * 1300 + (5000 - 3900) / 3]);
  EXPECT_EQ(values[4].reference[0], 2 * 3899 * 3900 / 2);
}

TEST(Inputs, OfLogarithmsAndDivisorsArePositive) {
  const Graph graph = GraphOf(OperatorJson(
      {"x: float32 [100]", "z: float32 [100]", "w: float32 [100]", "p: int32 [100]"},
      {{"Sub", {"x", "z"}, "d: float32 [100]"},
       {"Log", {"d"}, "l: float32 [100]"},
       {"RealDiv", {"l", "w"}, "q: float32 [100]"},
       {"OneHot", {"p", "1: float32", "0: float32"}, "y: float32 [100, 7]", {{"depth", 7}}}},
      {"q", "y"}));
  const auto inputs = DrawInputs(graph, 3);
  const auto values = Evaluate(StatementsOf(graph), inputs);
  for (int i = 0; i < 100; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_GT(inputs[0][at], 0);
    EXPECT_LT(inputs[1][at], 0);
    EXPECT_GT(inputs[2][at], 0);
    EXPECT_TRUE(std::isfinite(values[6].reference[at]));
    EXPECT_GE(inputs[3][at], -1);
    EXPECT_LE(inputs[3][at], 7);
  }
}

}  // namespace
}  // namespace exh::kernels::fused
