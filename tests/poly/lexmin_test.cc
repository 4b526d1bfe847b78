// SPDX-License-Identifier: MIT
#include "poly/lexmin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/random.h"
#include "poly/isl/owners.h"

namespace exh::poly {
namespace {

using Status = LexResult::Status;

// What isl finds for the same system.
LexResult LexMinByIsl(const LexProblem& problem) {
  std::string text = "{ [";
  for (std::size_t i = 0; i < problem.lower.size(); ++i)
    text += (i > 0 ? ", x" : "x") + std::to_string(i);
  text += "] : true";
  for (std::size_t i = 0; i < problem.lower.size(); ++i) {
    text += " and " + std::to_string(problem.lower[i]) + " <= x" + std::to_string(i) +
            " <= " + std::to_string(problem.upper[i]);
  }
  for (const LinearRow& row : problem.rows) {
    text += " and " + std::to_string(row.constant);
    for (const auto& [variable, coefficient] : row.terms) {
      text += " + " + std::to_string(coefficient) + "*x" + std::to_string(variable);
    }
    text += row.is_equality ? " = 0" : " >= 0";
  }
  auto points = Take(isl_basic_set_read_from_str(ThreadContext(), (text + " }").c_str()));
  const auto least = Take(isl_basic_set_lexmin(points.Give()));
  LexResult result;
  if (IsTrue(isl_set_is_empty(least.get()))) return result;
  result.status = Status::kFound;
  for (std::size_t i = 0; i < problem.lower.size(); ++i) {
    const auto value =
        Take(isl_set_plain_get_val_if_fixed(least.get(), isl_dim_set, static_cast<unsigned>(i)));
    result.values.push_back(isl_val_get_num_si(value.get()));
  }
  return result;
}

LexProblem RandomProblem(Random& random) {
  LexProblem problem;
  const std::size_t num_variables = 1 + random.Below(10);
  for (std::size_t i = 0; i < num_variables; ++i) {
    const auto least = static_cast<std::int64_t>(random.Below(5)) - 2;
    problem.AddVariable(
        least, least + static_cast<std::int64_t>(random.Below(random.Below(3) == 0 ? 12 : 3)));
  }
  const std::size_t num_rows = random.Below(2 * num_variables + 1);
  for (std::size_t i = 0; i < num_rows; ++i) {
    LinearRow row{.constant = static_cast<std::int64_t>(random.Below(9)) - 5,
                  .is_equality = random.Below(5) == 0};
    for (std::size_t variable = 0; variable < num_variables; ++variable) {
      const auto coefficient = static_cast<std::int64_t>(random.Below(7)) - 3;
      if (random.Below(5) < 2 && coefficient != 0)
        row.terms.emplace_back(static_cast<int>(variable), coefficient);
    }
    problem.rows.push_back(std::move(row));
  }
  return problem;
}

TEST(LexMinTest, FindsWhatIslFinds) {
  int num_found = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const LexProblem problem = RandomProblem(random);
    const LexResult ours = LexMin(problem, 10'000'000);
    const LexResult isl = LexMinByIsl(problem);
    ASSERT_EQ(ours.status, isl.status) << "seed " << seed;
    ASSERT_EQ(ours.values, isl.values) << "seed " << seed;
    num_found += ours.status == Status::kFound;
  }
  // Both answers must have been tried.
  EXPECT_GT(num_found, 200);
  EXPECT_LT(num_found, 900);
}

TEST(LexMinTest, HasNoVariables) {
  EXPECT_EQ(LexMin({}, 0).status, Status::kFound);
  EXPECT_EQ(LexMin({.rows = {{.constant = -1}}}, 0).status, Status::kNone);
  EXPECT_EQ(LexMin({.rows = {{.constant = 1, .is_equality = true}}}, 0).status, Status::kNone);
}

TEST(LexMinTest, SaysThatItGaveUp) {
  LexProblem problem;
  for (int i = 0; i < 4; ++i) problem.AddVariable(0, 1);
  EXPECT_EQ(LexMin(problem, 3).status, Status::kLimit);
  EXPECT_EQ(LexMin(problem, 4).status, Status::kFound);
}

// Twenty free variables in front of a part that has no solution: the parts must not multiply.
TEST(LexMinTest, DoesNotTryWhatAFailureHasNothingToDoWith) {
  LexProblem problem;
  for (int i = 0; i < 20; ++i) problem.AddVariable(0, 1);
  const int a = problem.AddVariable(0, 1), b = problem.AddVariable(0, 1),
            c = problem.AddVariable(0, 1);
  // Two of three differ, three times: no bound says that this is impossible for 0/1.
  for (const auto& [x, y] : {std::pair(a, b), std::pair(b, c), std::pair(a, c)}) {
    problem.rows.push_back({.terms = {{x, 1}, {y, 1}}, .constant = -1, .is_equality = true});
  }
  const LexResult result = LexMin(problem, 1000);
  EXPECT_EQ(result.status, Status::kNone);
  EXPECT_LE(result.num_nodes, 22U);
}

}  // namespace
}  // namespace exh::poly
