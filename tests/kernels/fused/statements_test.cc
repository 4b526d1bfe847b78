// SPDX-License-Identifier: MIT
//
// What people read of operators, and what schedulers get.
#include "kernels/fused/statements.h"

#include <gtest/gtest.h>

#include "kernels/fused/group.h"
#include "kernels/fused/lower.h"
#include "tests/kernels/fused/operator_text.h"

namespace exh::kernels::fused {
namespace {

using testing::GraphOf;
using testing::OperationText;
using testing::OperatorJson;

StatementList ListOf(const std::vector<std::string>& inputs,
                     const std::vector<OperationText>& operations,
                     const std::vector<std::string>& outputs) {
  return StatementsOf(GraphOf(OperatorJson(inputs, operations, outputs)));
}

/// Of one operation that yields y.
std::string LineOf(const std::vector<std::string>& inputs, const OperationText& operation) {
  const StatementList list = ListOf(inputs, {operation}, {"y"});
  EXPECT_EQ(list.statements.size(), 1u);
  return TextOf(list.statements.front(), list);
}

TEST(Statements, OfElementwiseOperations) {
  const std::vector<std::string> x = {"x: float32 [2, 3]"};
  const auto of = [&](const std::string& name) {
    return LineOf(x, {name, {"x"}, "y: float32 [2, 3]"});
  };
  const std::string domain = "    i < 2, j < 3";
  EXPECT_EQ(of("Abs"), "y[i, j] = abs(x[i, j])" + domain);
  EXPECT_EQ(of("Neg"), "y[i, j] = -x[i, j]" + domain);
  EXPECT_EQ(of("Exp"), "y[i, j] = exp(x[i, j])" + domain);
  EXPECT_EQ(of("Log"), "y[i, j] = log(x[i, j])" + domain);
  EXPECT_EQ(of("Sqrt"), "y[i, j] = sqrt(x[i, j])" + domain);
  EXPECT_EQ(of("Rsqrt"), "y[i, j] = rsqrt(x[i, j])" + domain);
  EXPECT_EQ(of("Tanh"), "y[i, j] = tanh(x[i, j])" + domain);
  EXPECT_EQ(of("Square"), "y[i, j] = x[i, j] * x[i, j]" + domain);
  EXPECT_EQ(of("Reciprocal"), "y[i, j] = 1 / x[i, j]" + domain);
}

TEST(Statements, OfTwoOperandsBroadcastThem) {
  const std::vector<std::string> inputs = {"x: float32 [2, 1, 3]", "z: float32 [4, 1]"};
  const auto of = [&](const std::string& name, const std::string& type = "float32") {
    return LineOf(inputs, {name, {"x", "z"}, "y: " + type + " [2, 4, 3]"});
  };
  const std::string domain = "    i < 2, j < 4, k < 3";
  EXPECT_EQ(of("Add"), "y[i, j, k] = x[i, 0, k] + z[j, 0]" + domain);
  EXPECT_EQ(of("Sub"), "y[i, j, k] = x[i, 0, k] - z[j, 0]" + domain);
  EXPECT_EQ(of("Mul"), "y[i, j, k] = x[i, 0, k] * z[j, 0]" + domain);
  EXPECT_EQ(of("RealDiv"), "y[i, j, k] = x[i, 0, k] / z[j, 0]" + domain);
  EXPECT_EQ(of("Pow"), "y[i, j, k] = pow(x[i, 0, k], z[j, 0])" + domain);
  EXPECT_EQ(of("Maximum"), "y[i, j, k] = max(x[i, 0, k], z[j, 0])" + domain);
  EXPECT_EQ(of("Minimum"), "y[i, j, k] = min(x[i, 0, k], z[j, 0])" + domain);
  EXPECT_EQ(of("Less", "bool"), "y[i, j, k] = x[i, 0, k] < z[j, 0]" + domain);
  EXPECT_EQ(of("Greater", "bool"), "y[i, j, k] = z[j, 0] < x[i, 0, k]" + domain);
  EXPECT_EQ(of("LessEqual", "bool"),
            "y[i, j, k] = (x[i, 0, k] < z[j, 0]) or (x[i, 0, k] == z[j, 0])" + domain);
  EXPECT_EQ(of("GreaterEqual", "bool"),
            "y[i, j, k] = (z[j, 0] < x[i, 0, k]) or (z[j, 0] == x[i, 0, k])" + domain);
  EXPECT_EQ(of("Equal", "bool"), "y[i, j, k] = x[i, 0, k] == z[j, 0]" + domain);
  EXPECT_EQ(of("NotEqual", "bool"), "y[i, j, k] = not (x[i, 0, k] == z[j, 0])" + domain);
}

TEST(Statements, OfNumbersConditionsAndCasts) {
  const std::vector<std::string> b = {"a: bool [3]", "b: bool [3]", "x: float16 [3]"};
  EXPECT_EQ(LineOf(b, {"LogicalAnd", {"a", "b"}, "y: bool [3]"}), "y[i] = a[i] and b[i]    i < 3");
  EXPECT_EQ(LineOf(b, {"LogicalOr", {"a", "b"}, "y: bool [3]"}), "y[i] = a[i] or b[i]    i < 3");
  EXPECT_EQ(LineOf(b, {"LogicalNot", {"a"}, "y: bool [3]"}), "y[i] = not a[i]    i < 3");
  EXPECT_EQ(LineOf(b, {"Select", {"a", "x", "0: float16"}, "y: float16 [3]"}),
            "y[i] = f16(select(a[i], x[i], 0))    i < 3");
  EXPECT_EQ(LineOf(b, {"Cast", {"x"}, "y: float32 [3]", {{"dst_type", "float32"}}}),
            "y[i] = f32(x[i])    i < 3");
  EXPECT_EQ(LineOf(b, {"Mul", {"x", "-2.5: float16"}, "y: float16 [3]"}),
            "y[i] = f16(x[i] * (-2.5))    i < 3");
  EXPECT_EQ(LineOf(b, {"AddN", {"x", "x", "x"}, "y: float16 [3]", {{"n", 3}}}),
            "y[i] = f16(x[i] + x[i] + x[i])    i < 3");
}

TEST(Statements, OfReductions) {
  const std::vector<std::string> x = {"x: float32 [2, 3, 4]", "b: bool [2, 3]"};
  EXPECT_EQ(LineOf(x, {"ReduceSum", {"x"}, "y: float32 [2, 4]", {{"axis", 1}}}),
            "y[i, j] = sum(k) x[i, k, j]    i < 2, j < 4, k < 3");
  EXPECT_EQ(
      LineOf(
          x,
          {"ReduceMax", {"x"}, "y: float32 [1, 3, 1]", {{"axis", {0, -1}}, {"keep_dims", true}}}),
      "y[0, i, 0] = max(j, k) x[j, i, k]    i < 3, j < 2, k < 4");
  EXPECT_EQ(LineOf(x, {"ReduceMin", {"x"}, "y: float32 [1]", {{"axis", {0, 1, 2}}}}),
            "y[0] = min(i, j, k) x[i, j, k]    i < 2, j < 3, k < 4");
  EXPECT_EQ(LineOf(x, {"ReduceProd", {"x"}, "y: float32 []", {{"axis", nlohmann::json::array()}}}),
            "y[] = prod(i, j, k) x[i, j, k]    i < 2, j < 3, k < 4");
  EXPECT_EQ(LineOf(x, {"ReduceAny", {"b"}, "y: bool [2]", {{"axis", 1}}}),
            "y[i] = max(j) b[i, j]    i < 2, j < 3");
  EXPECT_EQ(LineOf(x, {"ReduceAll", {"b"}, "y: bool [2]", {{"axis", 1}}}),
            "y[i] = min(j) b[i, j]    i < 2, j < 3");
}

TEST(Statements, OfWhatMovesElements) {
  const std::vector<std::string> x = {"x: float32 [4, 6]", "z: float32 [1, 6]", "p: int32 [5]"};
  EXPECT_EQ(LineOf(x, {"Transpose", {"x"}, "y: float32 [6, 4]", {{"perm", {1, 0}}}}),
            "y[i, j] = x[j, i]    i < 6, j < 4");
  EXPECT_EQ(LineOf(x, {"BroadcastTo", {"z"}, "y: float32 [2, 4, 6]", {{"shape", {2, 4, -1}}}}),
            "y[i, j, k] = z[0, k]    i < 2, j < 4, k < 6");
  EXPECT_EQ(LineOf(x, {"BroadcastTo", {"1: float32"}, "y: float32 [2]", {{"shape", {2}}}}),
            "y[i] = 1    i < 2");
  EXPECT_EQ(LineOf(x, {"Tile", {"x"}, "y: float32 [4, 18]", {{"multiples", {1, 3}}}}),
            "y[i, j] = x[i, j % 6]    i < 4, j < 18");
  EXPECT_EQ(LineOf(x, {"PadAkg",
                       {"x"},
                       "y: float32 [7, 6]",
                       {{"head", {1, 0}}, {"tail", {2, 0}}, {"pad_val", 9}}}),
            "y[i, j] = (x[i - 1, j] or 9 outside)    i < 7, j < 6");
  EXPECT_EQ(LineOf(x, {"UnPadAkg", {"x"}, "y: float32 [4, 1]", {{"tail", {0, 5}}}}),
            "y[i, j] = x[i, j]    i < 4, j < 1");
  EXPECT_EQ(LineOf(x, {"OneHot",
                       {"p", "1: float32", "0: float32"},
                       "y: float32 [5, 8]",
                       {{"depth", 8}, {"axis", -1}}}),
            "y[i, j] = select(p[i] == j, 1, 0)    i < 5, j < 8");
  EXPECT_EQ(LineOf(x, {"Squeeze", {"z"}, "y: float32 [6]"}), "y[i] = z[0, i]    i < 6");
  EXPECT_EQ(LineOf(x, {"ExpandDims", {"z"}, "y: float32 [1, 6, 1]", {{"axis", -1}}}),
            "y[i, j, k] = z[0, j]    i < 1, j < 6, k < 1");
}

// Splitting is affine over what is written, merging over the common refinement; what is neither
// takes quotients.
TEST(Statements, OfReshapeAreAffineWhereTheyCanBe) {
  const std::vector<std::string> x = {"x: float32 [4, 6]"};
  const auto to = [&](const std::string& shape) {
    return LineOf(x, {"Reshape", {"x"}, "y: float32 " + shape});
  };
  EXPECT_EQ(to("[2, 2, 3, 1, 2]"),
            "y[i, j, k, l, m] = x[2 * i + j, 2 * k + m]    i < 2, j < 2, k < 3, l < 1, m < 2");
  EXPECT_EQ(to("[24]"), "y[6 * i + j] = x[i, j]    i < 4, j < 6");
  EXPECT_EQ(to("[2, 12]"), "y[i, 6 * j + k] = x[2 * i + j, k]    i < 2, j < 2, k < 6");
  EXPECT_EQ(to("[3, 8]"), "y[i, j] = x[(2 * i + j) / 6 + i, (2 * i + j) % 6]    i < 3, j < 8");
}

TEST(Statements, OfAssignmentsWriteTheirTarget) {
  const StatementList list =
      ListOf({"p: float32 [3]", "x: float32 [3]", "q: float32 [3]"},
             {{"Add", {"p", "x"}, "s: float32 [3]"},
              {"InplaceAssign", {"p", "s", "s"}, "f: float32 [3]", {{"fake_output", true}}},
              {"InplaceAssign", {"q", "x", "s"}, "o: float32 [3]", {{"fake_output", false}}},
              {"Mul", {"f", "p"}, "y: float32 [3]"}},
             {"f", "o", "y"});
  EXPECT_EQ(TextOf(list),
            "s[i] = p[i] + x[i]    i < 3\n"
            "p[i] = s[i]    i < 3\n"
            "o[i] = s[i]    i < 3\n"
            "q[i] = x[i]    i < 3\n"
            "y[i] = s[i] * p[i]    i < 3\n");
  using Role = StatementTensor::Role;
  EXPECT_EQ(list.tensors[0].role, Role::kUpdated);
  EXPECT_EQ(list.tensors[1].role, Role::kInput);
  EXPECT_EQ(list.tensors[4].role, Role::kTemporary);  // The fake output.
}

TEST(Statements, HaveWhatSchedulersNeed) {
  const StatementList list =
      ListOf({"x: float16 [2, 3]"}, {{"ReduceSum", {"x"}, "y: float16 [2]", {{"axis", 1}}}}, {"y"});
  const Statement& sum = list.statements.front();
  ASSERT_EQ(sum.iterators.size(), 2u);
  EXPECT_FALSE(sum.iterators[0].is_reduction);
  EXPECT_TRUE(sum.iterators[1].is_reduction);
  EXPECT_EQ(sum.iterators[1].extent, 3);
  EXPECT_EQ(sum.reads.front().rows, (std::vector{sum.Iterated(0), sum.Iterated(1)}));
  EXPECT_EQ(sum.write.rows, std::vector{sum.Iterated(0)});
  EXPECT_TRUE(sum.write.is_write);
  EXPECT_EQ(list.tensor(sum.write.tensor).element_bytes, 2u);
  EXPECT_EQ(sum.reduces, ir::Op::kAdd);
  EXPECT_EQ(sum.name, "ReduceSum_0");
}

// ---- groups ----

TEST(Groups, ChainsAreOneStatement) {
  const StatementList list =
      Grouped(ListOf({"x: float32 [2, 3]"},
                     {{"Exp", {"x"}, "a: float32 [2, 3]"},
                      {"Transpose", {"a"}, "b: float32 [3, 2]", {{"perm", {1, 0}}}},
                      {"Mul", {"b", "b"}, "c: float32 [3, 2]"},
                      {"ReduceSum", {"c"}, "y: float32 [3]", {{"axis", 1}}}},
                     {"y"}));
  EXPECT_EQ(TextOf(list), "y[i] = sum(j) exp(x[j, i]) * exp(x[j, i])    i < 3, j < 2\n");
  EXPECT_EQ(list.statements.front().operations, (std::vector<int>{0, 1, 2, 3}));
}

// What meets again in one statement is a part of that, computed once.
TEST(Groups, WhatIsReadAtTwoPointsOrIsAResultStays) {
  const std::vector<std::string> x = {"x: float32 [3, 3]"};
  const OperationText exp = {"Exp", {"x"}, "a: float32 [3, 3]"};
  const OperationText neg = {"Neg", {"a"}, "b: float32 [3, 3]"};
  const OperationText moved = {"Transpose", {"a"}, "b: float32 [3, 3]", {{"perm", {1, 0}}}};
  const OperationText sum = {"Add", {"a", "b"}, "d: float32 [3, 3]"};
  const OperationText tanh = {"Tanh", {"d"}, "e: float32 [3, 3]"};
  const StatementList met = Grouped(ListOf(x, {exp, neg, sum}, {"d"}));
  EXPECT_EQ(TextOf(met), "d[i, j] = exp(x[i, j]) + -exp(x[i, j])    i < 3, j < 3\n");
  EXPECT_EQ(met.statements.front().steps.size(), 4u);
  EXPECT_EQ(TextOf(Grouped(ListOf(x, {exp, moved, sum, tanh}, {"d", "e"}))),
            "a[i, j] = exp(x[i, j])    i < 3, j < 3\n"
            "d[i, j] = a[i, j] + a[j, i]    i < 3, j < 3\n"
            "e[i, j] = tanh(d[i, j])    i < 3, j < 3\n");
}

// a is what p was before; behind the write it would be something else.
TEST(Groups, NothingMovesBehindAWriteToWhatItReads) {
  const StatementList list = Grouped(ListOf({"p: float32 [3]", "x: float32 [3]"},
                                            {{"Exp", {"p"}, "a: float32 [3]"},
                                             {"Assign", {"p", "x"}, "f: float32 [3]"},
                                             {"Neg", {"a"}, "y: float32 [3]"}},
                                            {"f", "y"}));
  EXPECT_EQ(TextOf(list),
            "a[i] = exp(p[i])    i < 3\n"
            "p[i] = x[i]    i < 3\n"
            "y[i] = -a[i]    i < 3\n");
}

TEST(Groups, AWriteInPlaceReadsNoOtherElements) {
  const std::vector<std::string> p = {"p: float32 [3, 3]"};
  const OperationText assign = {"Assign", {"p", "a"}, "f: float32 [3, 3]"};
  EXPECT_EQ(TextOf(Grouped(ListOf(p, {{"Exp", {"p"}, "a: float32 [3, 3]"}, assign}, {"f"}))),
            "p[i, j] = exp(p[i, j])    i < 3, j < 3\n");
  EXPECT_EQ(
      TextOf(Grouped(ListOf(
          p, {{"Transpose", {"p"}, "a: float32 [3, 3]", {{"perm", {1, 0}}}}, assign}, {"f"}))),
      "a[i, j] = p[j, i]    i < 3, j < 3\n"
      "p[i, j] = a[i, j]    i < 3, j < 3\n");
}

TEST(Groups, QuotientsAndGuardsEndThem) {
  const StatementList list =
      Grouped(ListOf({"x: float32 [4]"},
                     {{"Exp", {"x"}, "a: float32 [4]"},
                      {"PadAkg", {"a"}, "b: float32 [6]", {{"head", {1}}, {"tail", {1}}}},
                      {"Tile", {"b"}, "c: float32 [12]", {{"multiples", {2}}}},
                      {"Neg", {"c"}, "y: float32 [12]"}},
                     {"y"}));
  EXPECT_EQ(TextOf(list),
            "a[i] = exp(x[i])    i < 4\n"
            "b[i] = (a[i - 1] or 0 outside)    i < 6\n"
            "y[i] = -b[i % 6]    i < 12\n");
}

}  // namespace
}  // namespace exh::kernels::fused
