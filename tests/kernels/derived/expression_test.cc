// SPDX-License-Identifier: MIT
//
// Expressions that no backbone has: loads with an index that is computed, and of what was stored.
#include "kernels/derived/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "kernels/derived/reference/reference.h"
#include "kernels/derived/reference/sharing.h"
#include "kernels/whole_numbers.h"
#include "tests/kernels/derived/computed.h"

namespace exh::kernels::derived {
namespace {

using ir::Op;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using Node = Expression::Node;

constexpr std::uint32_t kLength = 6;

/// Over one axis, of kLength; it reads x, of four elements, and writes t and y.
class Written {
 public:
  Written() {
    e.axes = {{"i", kLength}};
    e.arrays = {{ir::ArrayId{0}, "x", ir::ArrayRole::kInput, 4},
                {ir::ArrayId{1}, "t", ir::ArrayRole::kOutput, kLength},
                {ir::ArrayId{2}, "y", ir::ArrayRole::kOutput, kLength}};
  }

  int Add(Node node) {
    node.axes = {0};
    e.nodes.push_back(std::move(node));
    return static_cast<int>(e.nodes.size()) - 1;
  }
  int Compute(Op op, ir::Type type, std::vector<Expression::Input> inputs) {
    Node node;
    node.op = op;
    node.type = node.computes = type;
    node.inputs = std::move(inputs);
    return Add(std::move(node));
  }
  int Index() {
    Node node;
    node.op = Op::kIndex;
    node.type = node.computes = ir::Type::kI32;
    node.strides = {{0, 1}};
    return Add(std::move(node));
  }
  Node Load(std::uint16_t array) const {
    Node node;
    node.op = Op::kLoad;
    node.array = ir::ArrayId{array};
    return node;
  }
  int Store(std::uint16_t array, int value) {
    Node node;
    node.op = Op::kStore;
    node.array = ir::ArrayId{array};
    node.strides = {{0, 1}};
    node.inputs = {Of(value)};
    e.outputs.push_back(Add(std::move(node)));
    return e.outputs.back();
  }
  Expression::Input Of(int node) const { return {node, 0, "", e.node(node).type}; }

  ProblemData Computed(const std::vector<double>& x) const {
    ProblemData data;
    for (const ir::Array& array : e.arrays) data[array.name];
    data.at("x").values = Elements(ir::Type::kF32, x.size());
    for (std::size_t i = 0; i < x.size(); ++i) data.at("x").values.Set(i, x[i]);
    ComputeReference(e, data);
    return data;
  }

  Expression e;
};

Expression::Input Whole(std::int64_t number) {
  return {-1, number, "", ir::Type::kI32};
}

/// t[i] = x[1 + i / 2 * 2], y[i] = t[i].
Written Gathering() {
  Written w;
  const int half = w.Compute(Op::kDiv, ir::Type::kI32, {w.Of(w.Index()), Whole(2)});
  Node load = w.Load(0);
  load.offset = 1;
  load.index = w.Compute(Op::kMul, ir::Type::kI32, {w.Of(half), Whole(2)});
  const int loaded = w.Add(std::move(load));
  w.Store(1, loaded);
  w.Store(2, loaded);
  return w;
}

TEST(Expression, LoadsWithAnIndexReadNothingOutside) {
  const ProblemData data = Gathering().Computed({10, 11, 12, 13});
  EXPECT_THAT(data.at("t").reference, ElementsAre(11, 11, 13, 13, 0, 0));
  EXPECT_THAT(data.at("t").tolerance, ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(Expression, IndicesAreNoValues) {
  const Expression e = Gathering().e;
  EXPECT_THAT(e.AreValues(), ElementsAre(false, false, false, true, true, true));
  // They are integers, and convert nothing.
  EXPECT_TRUE(ErrsAtRandom(e, e.outputs[0]));
  EXPECT_EQ(ExactLimit(e, ir::ArrayId{1}), 0x1p24);
  EXPECT_FALSE(InputShapes(e)[0].is_summed());
}

/// t[i] = x[0] / 3 for all i, y[i] = t[8 - i] * 0.5, and 0 where that is outside.
TEST(Expression, WhatWasStoredHasItsErrors) {
  Written w;
  const int x = w.Add(w.Load(0));
  const int third = w.Compute(Op::kDiv, ir::Type::kF32, {w.Of(x), {-1, 3.0}});
  Node load = w.Load(1);
  load.store = w.Store(1, third);
  load.offset = 8;
  load.strides = {{0, -1}};
  load.guards = {{8, {{0, -1}}, kLength}};
  const int loaded = w.Add(std::move(load));
  w.Store(2, w.Compute(Op::kMul, ir::Type::kF32, {w.Of(loaded), {-1, 0.5}}));
  const ProblemData data = w.Computed({1, 0, 0, 0});
  constexpr double kThird = 1.0 / 3, kSixth = 1.0 / 6;
  EXPECT_THAT(data.at("t").reference, ElementsAre(kThird, kThird, kThird, kThird, kThird, kThird));
  EXPECT_THAT(data.at("y").reference, ElementsAre(0, 0, 0, kSixth, kSixth, kSixth));
  EXPECT_THAT(data.at("t").tolerance[5], DoubleEq(testing::Tolerance(1, kThird * kThird)));
  EXPECT_THAT(data.at("y").tolerance[5], DoubleEq(testing::Tolerance(2, 2 * kSixth * kSixth)));
  EXPECT_EQ(data.at("y").tolerance[0], 0);
  EXPECT_EQ(SumsInARow(w.e), 0);
}

}  // namespace
}  // namespace exh::kernels::derived
