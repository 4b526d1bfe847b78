// SPDX-License-Identifier: MIT
//
// Spaces with integer terms whose numbers of implementations are known otherwise: from books, or
// from loops in the test that share nothing with the engine. The oracle must find as many where it
// can enumerate the assignments, and the engine is driven against it step by step.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/candidate.h"
#include "tests/support/drive.h"
#include "tests/support/minizinc.h"
#include "tests/support/oracle.h"
#include "tests/support/terms.h"

namespace exh::tests {
namespace {

using runtime::Candidate;
using runtime::Choice;
using runtime::CompareOp;
using runtime::Condition;
using runtime::Host;
using runtime::Instance;
using runtime::kNoObject;
using runtime::Visibility;
using Tuple = TableHost::Tuple;

constexpr runtime::Bits A = 1, B = 2;

std::string TestName() {
  return testing::UnitTest::GetInstance()->current_test_info()->name();
}

std::uint64_t CountByEngine(const TestSpace& test) {
  return CountImplementations(Candidate(Instance::Freeze(test.space, test.host)), 10'000'000);
}

/// The space has this number of implementations, and where it has few assignments the engine is
/// sound at every step of some descents.
void Expect(const TestSpace& test, std::uint64_t implementations) {
  EXPECT_EQ(CountByEngine(test), implementations);
  constexpr std::uint64_t kMostAssignments = 60'000;
  Oracle oracle(test.space, test.host);
  if (oracle.NumAssignments(kMostAssignments) > kMostAssignments) return;
  EXPECT_EQ(oracle.Solve().size(), implementations);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) DriveAgainstOracle(test, TestName(), seed, 8);
}

/// `$a.index`, where `$a` is variable `variable` of the scope.
Expr Index(TestSpace& test, int variable) {
  return CodeOf(test.Integer([variable](Tuple tuple) { return tuple[variable]; }));
}

// ---- Puzzles.

TestSpace Queens(int size) {
  TestSpace test;
  const int queens = test.AddRoot("Queens", size);
  const int row = test.AddInteger("row", {Var(queens)}, Range(0, size - 1));
  const Expr a = Use(row, {0}), b = Use(row, {1});
  const std::vector<runtime::Variable> pair = {Var(queens), Var(queens)};
  test.Require(pair, {a != b}, "rows");
  test.Require(pair, {a + Index(test, 0) != b + Index(test, 1)}, "falling_diagonals");
  test.Require(pair, {a - Index(test, 0) != b - Index(test, 1)}, "rising_diagonals");
  return test;
}

TEST(Terms, SixQueens) {
  Expect(Queens(6), 4);
}

TEST(Terms, EightQueens) {
  Expect(Queens(8), 92);
}

/// Four marks from 0 to 6 have six distances from 1 to 6. They differ, so each number is there
/// once: a perfect ruler, of which there is one, 0 1 4 6, and its mirror image, 0 2 5 6. All marks
/// in ascending order, so that neither is met again with its marks exchanged.
TEST(Terms, GolombRulerOfFourMarks) {
  TestSpace test;
  const int marks = test.AddRoot("Marks", 4);
  const int at = test.AddInteger("at", {Var(marks)}, Range(0, 6));
  const auto distance = [&](int a, int b) { return Use(at, {b}) - Use(at, {a}); };
  test.Require(
      {Var(marks), Var(marks)},
      {test.Code([](Tuple tuple) { return tuple[0] > tuple[1]; }), Use(at, {0}) < Use(at, {1})},
      "ascending");
  test.Require({Var(marks)},
               {test.Code([](Tuple tuple) { return tuple[0] != 0; }), Use(at, {0}) == 0},
               "starts_at_0");
  // Two pairs of marks have one in common, which lies between the others, or none.
  test.Require({Var(marks), Var(marks), Var(marks)}, {distance(0, 1) != distance(1, 2)}, "beside");
  test.Require({Var(marks), Var(marks), Var(marks), Var(marks)}, {distance(0, 1) != distance(2, 3)},
               "apart");
  int loops = 0;
  for (int b = 1; b <= 6; ++b) {
    for (int c = b + 1; c <= 6; ++c) {
      for (int d = c + 1; d <= 6; ++d) {
        const std::array<int, 6> distances = {b, c, d, c - b, d - b, d - c};
        std::array<int, 7> times{};
        bool differ = true;
        for (const int each : distances) differ = differ && ++times[each] == 1;
        loops += differ;
      }
    }
  }
  EXPECT_EQ(loops, 2);
  Expect(test, 2);
}

/// The square of Lo Shu, turned and mirrored.
TEST(Terms, MagicSquaresOfThree) {
  TestSpace test;
  const int cells = test.AddRoot("Cells", 9);
  const int number = test.AddInteger("number", {Var(cells)}, Range(1, 9));
  test.Require({Var(cells), Var(cells)}, {Use(number, {0}) != Use(number, {1})}, "differ");
  static constexpr int kLines[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6},
                                       {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
  const Condition no_line = test.Code([](Tuple tuple) {
    for (const auto& line : kLines) {
      if (tuple[0] == line[0] && tuple[1] == line[1] && tuple[2] == line[2]) return false;
    }
    return true;
  });
  test.Require({Var(cells), Var(cells), Var(cells)},
               {no_line, Use(number, {0}) + Use(number, {1}) + Use(number, {2}) == 15}, "lines");
  Expect(test, 8);
}

TestSpace Triangles(std::uint32_t longest) {
  TestSpace test;
  const int a = test.AddInteger("a", {}, Range(1, 100));
  const int b = test.AddInteger("b", {}, Range(1, 100));
  const int c = test.AddInteger("c", {}, Range(1, 100));
  const Expr x = Use(a, {}), y = Use(b, {}), z = Use(c, {});
  test.Require({}, {x * x + y * y == z * z}, "right_angle");
  test.Require({}, {x < y}, "shorter_first");
  test.Require({}, {z <= longest}, "longest");
  return test;
}

TEST(Terms, PythagoreanTriples) {
  for (const int longest : {20, 100}) {
    int loops = 0;
    for (int x = 1; x <= longest; ++x) {
      for (int y = x + 1; y <= longest; ++y) {
        for (int z = 1; z <= longest; ++z) loops += x * x + y * y == z * z;
      }
    }
    EXPECT_EQ(loops, longest == 20 ? 6 : 52);
    Expect(Triangles(longest), static_cast<std::uint64_t>(loops));
  }
}

// ---- Counters of terms.

TEST(Terms, Knapsack) {
  static constexpr std::array<int, 5> kWeights = {3, 5, 2, 7, 4}, kValues = {4, 6, 1, 9, 5};
  static constexpr int kCapacity = 21, kLeastGain = 3, kRent = -20;
  TestSpace test;
  const int items = test.AddRoot("Items", 5);
  const int take = test.AddInteger("take", {Var(items)}, Range(0, 3));
  const auto count = [&](const std::string& name, const std::array<int, 5>& of_item) {
    const Expr each =
        CodeOf(test.Integer([&of_item](Tuple tuple) { return of_item[tuple.back()]; }));
    Choice& counter = test.AddCounter(name, {}, false, Visibility::kFull);
    counter.over = {Var(items)};
    counter.weight_term = (Use(take, {0}) * each).term;
    return test.choice(name);
  };
  const int load = count("load", kWeights), gain = count("gain", kValues);
  test.space.choices[gain].has_base_number = true;
  test.space.choices[gain].base_number = kRent;
  test.Require({}, {Use(load, {}) <= kCapacity}, "fits");
  test.Require({}, {Use(gain, {}) >= kLeastGain}, "pays");
  std::uint64_t loops = 0;
  for (int taken = 0; taken < 1024; ++taken) {
    int weight = 0, value = kRent;
    for (int item = 0; item < 5; ++item) {
      weight += (taken >> 2 * item & 3) * kWeights[item];
      value += (taken >> 2 * item & 3) * kValues[item];
    }
    loops += weight <= kCapacity && value >= kLeastGain;
  }
  EXPECT_GT(loops, 10u);
  Expect(test, loops);
}

/// Counters stick at 2^64: of two that may, nobody knows which is larger.
TEST(Terms, CountersThatSaturateAreNotCompared) {
  for (const bool is_huge : {true, false}) {
    for (const CompareOp op : {CompareOp::kLt, CompareOp::kLe, CompareOp::kEq, CompareOp::kNe}) {
      TestSpace test;
      const int items = test.AddRoot("Items", 4);
      const int size = test.AddInteger("size", {Var(items)}, {is_huge ? 4294967295u : 3u});
      Choice& counter = test.AddCounter("others", {Var(items)}, true, Visibility::kFull);
      counter.over = {Var(items)};
      counter.weight = {size, {1}};
      const int others = test.choice("others");
      Condition compared;
      compared.kind = Condition::Kind::kCompare;
      compared.op = op;
      compared.lhs = {others, {0}};
      compared.rhs = {others, {1}};
      test.Require({Var(items), Var(items)}, {compared}, "same");
      if (is_huge) {
        std::string why;
        try {
          Instance::Freeze(test.space, test.host);
        } catch (const Error& error) {
          why = error.what();
        }
        EXPECT_NE(why.find("a comparison of two counters in requirement same"), why.npos) << why;
        EXPECT_NE(why.find("both may exceed 2^64"), why.npos) << why;
      } else {
        Expect(test, op == CompareOp::kLe || op == CompareOp::kEq ? 1 : 0);
      }
    }
  }
}

/// Products of terms, under a condition that is a term.
TEST(Terms, ProductsUnderATerm) {
  TestSpace test;
  const int items = test.AddRoot("Items", 4);
  const int size = test.AddInteger("size", {Var(items)}, Range(0, 5));
  Choice& counter = test.AddCounter("volume", {}, true, Visibility::kFull);
  counter.over = {Var(items)};
  counter.when = {Use(size, {0}) % 2 == 0};
  counter.weight_term = (Use(size, {0}) + 1).term;
  const int volume = test.choice("volume");
  test.Require({}, {Use(volume, {}) == 15}, "volume");
  std::uint64_t loops = 0;
  for (int code = 0; code < 6 * 6 * 6 * 6; ++code) {
    int product = 1;
    for (int rest = code, item = 0; item < 4; ++item, rest /= 6) {
      product *= rest % 6 % 2 == 0 ? rest % 6 + 1 : 1;
    }
    loops += product == 15;
  }
  EXPECT_GT(loops, 10u);
  Expect(test, loops);
}

/// Every way to ask a counter that begins below 0.
TEST(Terms, CountersBelowZero) {
  struct Case {
    std::function<Condition(TestSpace&, int first, int second)> condition;
    std::function<bool(int first, int second)> holds;
  };
  const std::vector<Case> cases = {
      {[](TestSpace& test, int n, int) { return test.ComparesCode(n, {}, CompareOp::kGe, {0}); },
       [](int n, int) { return n >= 0; }},
      {[](TestSpace& test, int n, int) { return test.ComparesCode(n, {}, CompareOp::kLt, {1}); },
       [](int n, int) { return n < 1; }},
      {[](TestSpace& test, int n, int) { return test.ComparesCode(n, {}, CompareOp::kLt, {0}); },
       [](int n, int) { return n < 0; }},
      {[](TestSpace& test, int n, int) { return test.ComparesCode(n, {}, CompareOp::kNe, {0}); },
       [](int n, int) { return n != 0; }},
      {[](TestSpace&, int n, int) { return Use(n, {}) >= -2; }, [](int n, int) { return n >= -2; }},
      {[](TestSpace&, int n, int) { return Use(n, {}) < -4; }, [](int n, int) { return n < -4; }},
      {[](TestSpace&, int n, int) { return Use(n, {}) * Use(n, {}) == 9; },
       [](int n, int) { return n * n == 9; }},
      {[](TestSpace&, int n, int m) { return Use(n, {}) > Use(m, {}); },
       [](int n, int m) { return n > m; }},
      {[](TestSpace&, int n, int m) { return Use(n, {}) + Use(m, {}) == -1; },
       [](int n, int m) { return n + m == -1; }},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    TestSpace test;
    const int items = test.AddRoot("Items", 3);
    const int size = test.AddInteger("size", {Var(items)}, {0, 1, 3, 4});
    for (const int base : {-6, -3}) {
      Choice& counter = test.AddCounter(base == -6 ? "n" : "m", {}, false, Visibility::kFull);
      counter.over = {Var(items)};
      counter.weight = {size, {0}};
      if (base == -6) {
        counter.has_base_number = true;
        counter.base_number = base;
      } else {  // Only what the object with number 0 does not count, and code as base.
        counter.when = {test.Code([](Tuple tuple) { return tuple.back() != 0; })};
        counter.base = test.Integer([base](Tuple) { return base; });
      }
    }
    test.Require({}, {cases[i].condition(test, test.choice("n"), test.choice("m"))});
    std::uint64_t loops = 0;
    for (const int a : {0, 1, 3, 4}) {
      for (const int b : {0, 1, 3, 4}) {
        for (const int c : {0, 1, 3, 4}) loops += cases[i].holds(-6 + a + b + c, -3 + b + c);
      }
    }
    EXPECT_GT(loops, 0u);
    Expect(test, loops);
  }
}

// ---- Long domains.

/// Two jobs of two steps on two machines, the second job in the opposite order: nothing overlaps,
/// all is done in time.
TEST(Terms, JobShop) {
  static constexpr int kHorizon = 100, kDeadline = 36;
  static constexpr int kDuration[2][2] = {{9, 6}, {5, 12}};  // By job and step.
  TestSpace test;
  const int jobs = test.AddRoot("Jobs", 2), steps = test.AddRoot("Steps", 2);
  const int start = test.AddInteger("start", {Var(jobs), Var(steps)}, Range(0, kHorizon));
  // The duration of the step that variables `job` and `step` of the scope name.
  const auto duration = [&](int job, int step) {
    return CodeOf(test.Integer([=](Tuple t) { return kDuration[t[job]][t[step]]; }));
  };
  test.Require({Var(jobs), Var(steps)}, {Use(start, {0, 1}) + duration(0, 1) <= kDeadline}, "done");
  const Condition backward =
      test.Code([](Tuple tuple) { return tuple[1] > tuple[2]; });  // Of one job's steps.
  test.Require({Var(jobs), Var(steps), Var(steps)},
               {backward, Use(start, {0, 1}) + duration(0, 1) <= Use(start, {0, 2})}, "in_order");
  // Step s of the first job and step 1 - s of the second one need the same machine.
  test.Require({Var(jobs), Var(jobs), Var(steps), Var(steps)},
               {Use(start, {0, 2}) + duration(0, 2) <= Use(start, {1, 3}),
                Use(start, {1, 3}) + duration(1, 3) <= Use(start, {0, 2})},
               "one_at_a_time");
  std::uint64_t loops = 0;
  for (int a = 0; a + 9 <= kDeadline; ++a) {
    for (int b = a + 9; b + 6 <= kDeadline; ++b) {
      for (int c = 0; c + 5 <= kDeadline; ++c) {
        for (int d = c + 5; d + 12 <= kDeadline; ++d) {
          loops += (a + 9 <= d || d + 12 <= a) && (b + 6 <= c || c + 5 <= b);
        }
      }
    }
  }
  EXPECT_GT(loops, 1000u);
  Expect(test, loops);
}

/// Two long decisions, one that a term ties to both.
TEST(Terms, LongDomainsCountedByLoops) {
  struct Case {
    std::function<Condition(const Expr& x, const Expr& y)> condition;
    std::function<bool(int x, int y)> holds;
  };
  const std::vector<Case> cases = {
      {[](const Expr& x, const Expr& y) { return x * y == 60; },
       [](int x, int y) { return x * y == 60; }},
      {[](const Expr& x, const Expr& y) { return Div(x, y) == 7; },
       [](int x, int y) { return y != 0 && x / y == 7; }},
      {[](const Expr& x, const Expr& y) { return x % y == 3; },
       [](int x, int y) { return y != 0 && x % y == 3; }},
      {[](const Expr& x, const Expr& y) { return x / y == Num(3) / 2; },
       [](int x, int y) { return y != 0 && 2 * x == 3 * y; }},
      {[](const Expr& x, const Expr& y) { return Max(x, y) - Min(x, y) == 90; },
       [](int x, int y) { return x - y == 90 || y - x == 90; }},
      {[](const Expr& x, const Expr& y) { return -x + 2 * y > 150; },
       [](int x, int y) { return -x + 2 * y > 150; }},
      {[](const Expr& x, const Expr& y) { return Not(x + 2 * y <= 290); },
       [](int x, int y) { return x + 2 * y > 290; }},
      {[](const Expr& x, const Expr& y) { return Not(100 * y / x < 10 * y); },
       [](int x, int y) { return x == 0 || 100 * y >= 10 * y * x; }},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    TestSpace test;
    const int x = test.AddInteger("x", {}, Range(0, 99));
    const int y = test.AddInteger("y", {}, [](Tuple) { return Range(0, 127); });
    test.Require({}, {cases[i].condition(Use(x, {}), Use(y, {}))});
    std::uint64_t loops = 0;
    for (int a = 0; a < 100; ++a) {
      for (int b = 0; b < 128; ++b) loops += cases[i].holds(a, b);
    }
    EXPECT_GT(loops, 0u);
    Expect(test, loops);
  }
}

// ---- Operations.

int FloorDiv(int a, int b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// Each operation over all small numbers, with divisors that may be 0, and its negation.
TEST(Terms, OperationsCountedByLoops) {
  using E = const Expr&;
  struct Case {
    const char* name;
    std::function<Condition(E x, E y, E z, E w)> condition;
    std::function<bool(int x, int y, int z, int w)> holds;
  };
  const std::vector<Case> cases = {
      {"x % y == z", [](E x, E y, E z, E) { return x % y == z; },
       [](int x, int y, int z, int) { return y != 0 && x % y == z; }},
      {"x div y == z", [](E x, E y, E z, E) { return Div(x, y) == z; },
       [](int x, int y, int z, int) { return y != 0 && x / y == z; }},
      {"x div y < z", [](E x, E y, E z, E) { return Div(x, y) < z; },
       [](int x, int y, int z, int) { return y != 0 && x / y < z; }},
      {"x / y == z / w", [](E x, E y, E z, E w) { return x / y == z / w; },
       [](int x, int y, int z, int w) { return y != 0 && w != 0 && x * w == z * y; }},
      {"x / y != z / w", [](E x, E y, E z, E w) { return x / y != z / w; },
       [](int x, int y, int z, int w) { return y != 0 && w != 0 && x * w != z * y; }},
      {"x / y < z / w", [](E x, E y, E z, E w) { return x / y < z / w; },
       [](int x, int y, int z, int w) { return y != 0 && w != 0 && x * w < z * y; }},
      {"(x - 3) % (y - 2) == z - 2", [](E x, E y, E z, E) { return (x - 3) % (y - 2) == z - 2; },
       [](int x, int y, int z, int) {
         return y != 2 && (x - 3) - (y - 2) * FloorDiv(x - 3, y - 2) == z - 2;
       }},
      {"(x - 3) div (y - 2) >= z - 4", [](E x, E y, E z, E) { return Div(x - 3, y - 2) >= z - 4; },
       [](int x, int y, int z, int) { return y != 2 && FloorDiv(x - 3, y - 2) >= z - 4; }},
      {"x / y + z / w == 2", [](E x, E y, E z, E w) { return x / y + z / w == 2; },
       [](int x, int y, int z, int w) { return y != 0 && w != 0 && x * w + z * y == 2 * y * w; }},
      {"max(x / y, z / 3) <= w / 2", [](E x, E y, E z, E w) { return Max(x / y, z / 3) <= w / 2; },
       [](int x, int y, int z, int w) { return y != 0 && 2 * x <= w * y && 2 * z <= 3 * w; }},
      {"x / (y - 2) * w - z / 2 > -1",
       [](E x, E y, E z, E w) { return x / (y - 2) * w - z / 2 > -1; },
       [](int x, int y, int z, int w) {
         const int sign = y > 2 ? 1 : -1;
         return y != 2 && (2 * x * w - z * (y - 2)) * sign > -2 * (y - 2) * sign;
       }},
      {"x - y * z == w - 4", [](E x, E y, E z, E w) { return x - y * z == w - 4; },
       [](int x, int y, int z, int w) { return x - y * z == w - 4; }},
      {"x - y * z <= -w", [](E x, E y, E z, E w) { return x - y * z <= -w; },
       [](int x, int y, int z, int w) { return x - y * z <= -w; }},
      {"(x - 3) * (y - 2) > z * w", [](E x, E y, E z, E w) { return (x - 3) * (y - 2) > z * w; },
       [](int x, int y, int z, int w) { return (x - 3) * (y - 2) > z * w; }},
      {"max(x, y) == min(z, w) + 1", [](E x, E y, E z, E w) { return Max(x, y) == Min(z, w) + 1; },
       [](int x, int y, int z, int w) { return std::max(x, y) == std::min(z, w) + 1; }},
      {"x * x - y * y == z - w", [](E x, E y, E z, E w) { return x * x - y * y == z - w; },
       [](int x, int y, int z, int w) { return x * x - y * y == z - w; }},
      {"x / (y - z) >= w", [](E x, E y, E z, E w) { return x / (y - z) >= w; },
       [](int x, int y, int z, int w) {
         return y != z && (y > z ? x >= w * (y - z) : x <= w * (y - z));
       }},
      {"5 div x == y", [](E x, E y, E, E) { return Div(5, x) == y; },
       [](int x, int y, int, int) { return x != 0 && 5 / x == y; }},
      {"x == x", [](E x, E, E, E) { return x == x; }, [](int, int, int, int) { return true; }},
      {"x / x == 1", [](E x, E, E, E) { return x / x == 1; },
       [](int x, int, int, int) { return x != 0; }},
  };
  for (const Case& each : cases) {
    for (const bool negated : {false, true}) {
      SCOPED_TRACE((negated ? "not " : "") + std::string(each.name));
      TestSpace test;
      const int x = test.AddInteger("x", {}, Range(0, 6)),
                y = test.AddInteger("y", {}, Range(0, 4));
      const int z = test.AddInteger("z", {}, Range(0, 3));
      const int w = test.AddInteger("w", {}, {0, 1, 2, 4});
      Condition condition = each.condition(Use(x, {}), Use(y, {}), Use(z, {}), Use(w, {}));
      condition.negated = negated;
      test.Require({}, {condition});
      std::uint64_t loops = 0;
      for (int a = 0; a <= 6; ++a) {
        for (int b = 0; b <= 4; ++b) {
          for (int c = 0; c <= 3; ++c) {
            for (const int d : {0, 1, 2, 4}) loops += each.holds(a, b, c, d) != negated;
          }
        }
      }
      Expect(test, loops);
    }
  }
}

// ---- What else a space has.

/// A planned object comes with a long decision: the term acts once it is there.
TEST(Terms, ActBehindGates) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int kind = test.AddEnum("kind", {}, 2);
  const int size = test.AddInteger("size", {Var(items)}, Range(0, 80));
  test.AddTrigger({}, {Is(kind, {}, A)}, [=](Tuple) {
    return std::vector<Host::Planned>{{items, {kNoObject, 2}}};
  });
  test.Require({Var(items), Var(items)}, {Use(size, {0}) + Use(size, {1}) == 80}, "sum");
  // Without the planned object the first two share 80 in 81 ways; with it all are 40.
  Expect(test, 82);
}

/// A trigger that asks a term.
TEST(Terms, FireTriggers) {
  TestSpace test;
  const int items = test.AddRoot("Items", 2);
  const int size = test.AddInteger("size", {Var(items)}, Range(0, 9));
  const int width = test.AddInteger("width", {}, Range(0, 9));
  const Expr distance = Max(Use(width, {}) - 4, 4 - Use(width, {}));
  test.AddTrigger({}, {distance <= 1, Use(width, {}) % 2 == 1}, [=](Tuple) {
    return std::vector<Host::Planned>{{items, {kNoObject, 1}}};
  });
  test.Require({Var(items), Var(items)}, {Use(size, {0}) * 2 == Use(size, {1}) + 3}, "twice");
  // Both ways: x * 2 == y + 3 and y * 2 == x + 3, so both are 3. Widths 3 and 5 fire.
  Expect(test, 2 + 8 * 10);
}

/// Beside other conditions, and where the comparison is between uses of two choices.
TEST(Terms, StandInClauses) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int kind = test.AddEnum("kind", {Var(items)}, 2);
  const int size = test.AddInteger("size", {Var(items)}, {1, 2, 3});
  const int room = test.AddInteger("room", {}, {2, 4});
  test.Require({Var(items), Var(items)},
               {Is(kind, {0}, B), Use(size, {0}) + Use(size, {1}) <= Use(room, {})}, "fits");
  std::uint64_t loops = 0;
  for (const int space : {2, 4}) {
    for (int kinds = 0; kinds < 8; ++kinds) {
      for (int code = 0; code < 27; ++code) {
        const int sizes[] = {1 + code % 3, 1 + code / 3 % 3, 1 + code / 9};
        bool legal = true;
        for (int a = 0; a < 3; ++a) {
          for (int b = 0; b < 3; ++b) {
            legal = legal && (a == b || (kinds >> a & 1) != 0 || sizes[a] + sizes[b] <= space);
          }
        }
        loops += legal;
      }
    }
  }
  Expect(test, loops);
}

/// Where the decision that a term reads does not exist, the tuple says nothing.
TEST(Terms, ReadWhatDoesNotExist) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int left = test.AddSubset("Left", items, {0, 1});
  const int right = test.AddSubset("Right", items, {1, 2});
  test.space.sets[right].disjoint = {left};  // A false promise: (1, 1) is a tuple.
  const int gap = test.AddInteger("gap", {Var(items), Var(items)}, {0, 1, 2});
  test.Require({Var(left), Var(right)}, {Use(gap, {0, 1}) > 1, Num(0) == 1}, "wide");
  test.Require({Var(left), Var(right)}, {Not(Num(1) / Use(gap, {1, 0}) >= 1)}, "not_one");
  // Of six decisions (0, 1), (0, 2) and (1, 2) are 2, their opposites 0 or 2.
  Expect(test, 8);
}

/// Externals are asked once, without objects.
TEST(Terms, ReadConstantsOfTheHost) {
  TestSpace test;
  const int items = test.AddRoot("Items", 2);
  const int size = test.AddInteger("size", {Var(items)}, Range(0, 9));
  int asked = 0;
  const runtime::CodeId limit = test.Numbers([&asked](Tuple tuple) {
    EXPECT_TRUE(tuple.empty());
    ++asked;
    return std::vector<std::uint32_t>{7};
  });
  test.Require({Var(items)}, {-Use(size, {0}) >= -CodeOf(limit, /*external=*/true)}, "limit");
  const auto instance = Instance::Freeze(test.space, test.host);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(CountImplementations(Candidate(instance), 1000), 64u);
  Expect(test, 64);
}

/// The flag of a quotient set whose dividend is a term.
TEST(Terms, ChooseRepresentatives) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int same = test.AddSymmetric("same", items, 2);
  const int size = test.AddInteger("size", {Var(items)}, Range(0, 3));
  test.Require({Var(items), Var(items), Var(items)},
               {Is(same, {0, 1}, B), Is(same, {1, 2}, B), Is(same, {0, 2}, A)}, "transitive");
  test.AddQuotient("Classes", items, -1, {Use(size, {0}) * Use(size, {0}) >= 4}, same, A);
  const int flag = test.choice("is_Classes");
  Choice& counter = test.AddCounter("classes", {}, false, Visibility::kFull);
  counter.over = {Var(items)};
  counter.when = {Is(flag, {0}, B)};
  counter.weight_term = Num(1).term;
  test.Require({}, {Use(test.choice("classes"), {}) == 1}, "one_class");
  // Eligible are sizes 2 and 3, so a given subset of k objects is eligible in 2^3 ways. Of the five
  // partitions of three objects one class must hold all eligible ones: for k = 1 all five, for
  // k = 2 (three subsets) two, for k = 3 one.
  Expect(test, 8 * (3 * 5 + 3 * 2 + 1 * 1));
}

}  // namespace
}  // namespace exh::tests
