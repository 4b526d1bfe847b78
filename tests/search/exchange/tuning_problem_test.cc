// SPDX-License-Identifier: MIT
//
// Tuning problems as spaces: each has exactly the configurations that plain loops find.
#include "search/exchange/tuning_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dsl/dsl.h"
#include "load/load.h"
#include "search/descend/choice_order.h"
#include "search/exchange/exh_names.h"
#include "search/exchange/problem_text.h"
#include "search/solve/solution_text.h"
#include "search/solve/solver.h"

namespace exh::search {
namespace {

using testing::HasSubstr;
using Values = std::vector<std::pair<std::string, std::string>>;

TuningProblem Problem(const Values& parameters, const std::vector<std::string>& conditions) {
  Json json = {
      {"ConfigurationSpace", {{"TuningParameters", Json::array()}, {"Conditions", Json::array()}}}};
  for (const auto& [name, values] : parameters) {
    json["ConfigurationSpace"]["TuningParameters"].push_back(
        {{"Name", name}, {"Type", "int"}, {"Values", values}});
  }
  for (const std::string& condition : conditions) {
    json["ConfigurationSpace"]["Conditions"].push_back({{"Expression", condition}});
  }
  return ParseTuningProblem(json.dump());
}

/// What the problem allows, by its own restrictions.
std::set<std::string> Allowed(const TuningProblem& problem) {
  std::set<std::string> allowed;
  std::vector<PythonValue> values(problem.parameters.size());
  const std::function<void(std::size_t)> go = [&](std::size_t depth) {
    if (depth == values.size()) {
      std::vector<PythonValue> copy = values;
      if (!IsAllowed(problem, copy)) return;
      Json json;
      for (std::size_t i = 0; i < values.size(); ++i) {
        json[problem.parameters[i].name] = JsonOf(values[i]);
      }
      allowed.insert(json.dump());
      return;
    }
    for (const PythonValue& value : problem.parameters[depth].values) {
      values[depth] = value;
      go(depth + 1);
    }
  };
  go(0);
  return allowed;
}

/// The solutions of the `.exh`, with the names that they had.
std::set<std::string> Solutions(const std::string& text) {
  std::set<std::string> found;
  dsl::DiagnosticSink sink;
  const auto spec = dsl::CompileText("t.exh", text, {}, sink);
  EXPECT_TRUE(spec) << dsl::RenderText(sink) << text;
  if (!spec) return found;
  const OriginalNames names = OriginalNamesOf(*spec);
  const auto loaded = load::LoadSpace(*spec, "t", sink);
  EXPECT_TRUE(loaded) << dsl::RenderText(sink);
  if (!loaded) return found;
  const auto instance = load::Freeze(*loaded);
  if (instance->root_result() == runtime::Propagation::kDeadEnd) return found;
  Solver solver(*instance, ChoiceOrder::Default(*instance), {});
  solver.Run(runtime::Candidate(instance), [&](const runtime::Candidate& solution) {
    Json json;
    const Json decisions = SolutionJson(solution);
    for (const auto& [choice, value] : decisions.items()) {
      const auto values = names.values.find(choice);
      json[names.choices.at(choice)] =
          values == names.values.end() ? Json(value) : values->second.at(value);
    }
    found.insert(json.dump());
    return true;
  });
  return found;
}

void ExpectSame(const Values& parameters, const std::vector<std::string>& conditions) {
  const TuningProblem problem = Problem(parameters, conditions);
  const std::string text = ExhTextOf(problem);
  EXPECT_EQ(Solutions(text), Allowed(problem)) << text;
}

TEST(TuningProblem, EachRestrictionMeansTheSame) {
  const Values small = {{"a", "[0, 1, 2, 3, 8]"}, {"B", "[1, 2, 4, 6]"}, {"c", "range(1, 5)"}};
  for (const char* const condition : {"a * B <= 8",
                                      "a + B * c > 6",
                                      "4 <= a * B <= 12",
                                      "a % B == 0",
                                      "a == 0 or B % a == 0",
                                      "not (a == 0 or B % a == 0)",
                                      "not B % a == 0",
                                      "B % c",
                                      "a // B == 1",
                                      "a / B == 0.5",
                                      "a / B <= c / 3",
                                      "B % (c / B) == 0",
                                      "(B * c) % ((a + 1) / c) == 0",
                                      "a % (B / c) > 0.4",
                                      "a * 0.1 == 0.30000000000000004",
                                      "a * 0.5 < B",
                                      "(a - B) // c == -1",
                                      "(a - B) % c == 1",
                                      "-a + B > -2",
                                      "B ** 2 <= 16 * c",
                                      "2 ** a <= B * c",
                                      "a in [1, 2] and B not in (1, 4)",
                                      "a * B in [2, 8, 16]",
                                      "a * B not in [0, 2, c]",
                                      "min(a, B, c) >= 1",
                                      "max(a, B) - min(a, c) < 3",
                                      "abs(a - B) <= 1",
                                      "a and B > c",
                                      "a or c == 2",
                                      "(a == 1) + (B == 1) + (c == 1) == 1",
                                      "(a > 1) == (B > 2)",
                                      "a < B < c",
                                      "a != B != c",
                                      "a == 1 and B == 1 or c == 4",
                                      "not (a == 1 and B == 1 and c == 4)",
                                      "True",
                                      "a > 100",
                                      "1 // a + B > 2",
                                      "len([a, B]) == c"}) {
    SCOPED_TRACE(condition);
    ExpectSame(small, {condition});
  }
}

TEST(TuningProblem, WhatIsNoWholeNumberIsAnEnum) {
  const Values mixed = {{"shift", "[-2, -1, 0, 3]"},
                        {"precision", "['half', 'single', \"8-bit\"]"},
                        {"use_x", "[True, False]"},
                        {"w", "[0.25, 0.5, 1.0]"},
                        {"n", "[1, 2, 4]"}};
  for (const char* const condition :
       {"shift + n > 0", "shift % n == 0", "precision == 'half' or n > 1",
        "precision != 'half' or shift >= 0", "use_x or n == 1", "use_x == True and w > 0.3",
        "not use_x or precision in ('half', '8-bit')", "w * n == 1.0", "shift < 0 or w >= 0.5"}) {
    SCOPED_TRACE(condition);
    ExpectSame(mixed, {condition});
  }
}

/// Against loops of C++ that know no Python.
TEST(TuningProblem, HasAsManyConfigurationsAsLoopsFind) {
  const Values parameters = {{"MWG", "[16, 32, 64, 128]"}, {"KWG", "[16, 32]"},
                             {"MDIMC", "[8, 16, 32]"},     {"NDIMC", "[8, 16, 32]"},
                             {"MDIMA", "[8, 16, 32]"},     {"VWM", "[2**i for i in range(4)]"}};
  std::size_t count = 0;
  for (const int mwg : {16, 32, 64, 128}) {
    for (const int kwg : {16, 32}) {
      for (const int mdimc : {8, 16, 32}) {
        for (const int ndimc : {8, 16, 32}) {
          for (const int mdima : {8, 16, 32}) {
            for (const int vwm : {1, 2, 4, 8}) {
              const int rows = mdimc * ndimc / mdima;  // Exact: all are powers of two.
              const bool fits = kwg % rows == 0 && mwg % (mdimc * vwm) == 0;
              if (fits && !(mwg == 128 && mdimc == 8)) ++count;
            }
          }
        }
      }
    }
  }
  const std::string text = ExhTextOf(
      Problem(parameters, {"KWG % ((MDIMC * NDIMC)/MDIMA) == 0", "MWG % (MDIMC * VWM) == 0",
                           "not (MWG == 128 and MDIMC == 8)"}));
  EXPECT_EQ(Solutions(text).size(), count);
  EXPECT_GT(count, 100u);
}

TEST(TuningProblem, KeepsNames) {
  const std::string text = ExhTextOf(Problem({{"BLOCK_SIZE", "[1, 2, 3, 4, 8]"},
                                              {"block_size", "[0]"},
                                              {"value", "[5, 1]"},
                                              {"2nd mode", "['a b', 'A B', -1, 0.5, True]"}},
                                             {"BLOCK_SIZE * value < 20"}));
  EXPECT_EQ(text, R"(// A tuning problem.

/// as: BLOCK_SIZE
choice integer block_size(): 1 .. 4 | 8 end

/// as: block_size
choice integer block_size_2(): 0 end

/// as: value
choice integer value_(): 1 | 5 end

/// as: 2nd mode
choice enum p2nd_mode():
  /// as: "a b"
  value A_B:
  /// as: "A B"
  value A_B_2:
  /// as: -1
  value MINUS_1:
  /// as: 0.5
  value V0_5:
  /// as: true
  value TRUE:
end

/// BLOCK_SIZE * value < 20
require restriction_1:
  block_size() * value_() < 20
)");
  dsl::DiagnosticSink sink;
  const auto spec = dsl::CompileText("t.exh", text, {}, sink);
  ASSERT_TRUE(spec) << dsl::RenderText(sink);
  const OriginalNames names = OriginalNamesOf(*spec);
  EXPECT_EQ(names.choices.at("block_size_2"), "block_size");
  EXPECT_EQ(names.values.at("p2nd_mode").at("A_B_2"), "A B");
  EXPECT_EQ(names.values.at("p2nd_mode").at("V0_5"), 0.5);
}

/// Words of the language as names of parameters.
TEST(TuningProblem, TakesAnyName) {
  Values parameters = {{"x", "[1, 2, 3]"}};
  std::vector<std::string> conditions;
  for (const char* const word :
       {"alias",    "base",    "choice",      "constant", "counter",  "decide", "define",
        "div",      "end",     "enum",        "extern",   "false",    "forall", "half",
        "host",     "include", "integer",     "is",       "iterator", "let",    "max",
        "maximize", "min",     "minimize",    "mul",      "of",       "once",   "require",
        "requires", "set",     "sum",         "trigger",  "true",     "value",  "when",
        "where",    "type",    "lower_bound", "_x",       "X",        "Dims",   "\xC3\xA4"}) {
    parameters.emplace_back(word, "[1, 2, 4]");
    const bool is_called_otherwise = std::string(word) == "min" || std::string(word) == "max" ||
                                     std::string(word) == "is" || std::string(word) == "\xC3\xA4";
    if (!is_called_otherwise) conditions.push_back(std::string(word) + " * x <= 4");
  }
  const std::string text = ExhTextOf(Problem(parameters, conditions));  // It loads.
  EXPECT_THAT(text, HasSubstr("maximize_() * x() <= 4"));
  EXPECT_THAT(text, HasSubstr("/// as: \xC3\xA4\nchoice integer p__"));
}

std::string Refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(TuningProblem, SaysWhatIsWrongAndWhere) {
  const auto parse = [](const std::string& json) {
    return Refusal([&] { ParseTuningProblem(json); });
  };
  EXPECT_THAT(parse("{"), HasSubstr("line 1"));
  EXPECT_THAT(parse("[]"), HasSubstr("the tuning problem is no object"));
  EXPECT_THAT(parse("{}"), HasSubstr("has no 'ConfigurationSpace'"));
  EXPECT_THAT(parse(R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "x"}]}})"),
              HasSubstr("parameter 'x' has no 'Values'"));
  const auto problem = [](const Values& parameters, const std::vector<std::string>& conditions) {
    return Refusal([&] { ExhTextOf(Problem(parameters, conditions)); });
  };
  EXPECT_THAT(problem({{"x", "[1, open('f')]"}}, {}),
              HasSubstr("parameter 'x', Values: column 5: unknown function 'open'"));
  EXPECT_THAT(problem({{"x", "3"}}, {}), HasSubstr("it is no list"));
  EXPECT_THAT(problem({{"x", "[]"}}, {}), HasSubstr("parameter 'x' has no values"));
  EXPECT_THAT(problem({{"x", "[1]"}, {"x", "[2]"}}, {}), HasSubstr("two parameters 'x'"));
  EXPECT_THAT(problem({{"x", "[1, 2]"}}, {"x <= y"}),
              HasSubstr("condition 1, 'x <= y': column 6: unknown parameter 'y'"));
  EXPECT_THAT(problem({{"x", "range(5000)"}}, {}), HasSubstr("has 5000 values"));
  EXPECT_THAT(problem({{"x", "range(-100, 0)"}}, {}),
              HasSubstr("has 100 values; a choice has at most 64, unless"));
  EXPECT_THAT(problem({{"x", "range(4000)"}, {"y", "range(4000)"}}, {"x / 3 < y * 0.1"}),
              HasSubstr("more combinations than can be tried"));
  EXPECT_THAT(problem({{"x", "[4000000000]"}, {"y", "[1, 4000000000]"}}, {"x * y * x < 5"}),
              HasSubstr("what it becomes is refused"));
}

}  // namespace
}  // namespace exh::search
