// SPDX-License-Identifier: MIT
//
// Expressions of Python: what they come to, as Python itself calculates, and what is refused where.
#include "search/exchange/python/python_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace exh::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The value as JSON; "error: …" when Python would raise one.
std::string Value(const std::string& text) {
  PythonNode node = ParsePython(text);
  BindNames(node, {"x", "y"});
  std::vector<PythonValue> values = {{std::int64_t{6}}, {0.5}};
  try {
    return JsonOf(Evaluate(node, values)).dump();
  } catch (const PythonError& error) {
    return std::string("error: ") + error.what();
  }
}

std::string Refusal(const std::string& text) {
  try {
    PythonNode node = ParsePython(text);
    BindNames(node, {"x", "y"});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(PythonText, CalculatesAsPythonDoes) {
  const std::vector<std::pair<std::string, std::string>> known = {
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"7 // 2", "3"},
      {"-7 // 2", "-4"},
      {"7 // -2", "-4"},
      {"-7 % 3", "2"},
      {"7 % -3", "-2"},
      {"7 / 2", "3.5"},
      {"6 / 2", "3.0"},
      {"-7.5 // 2", "-4.0"},
      {"-7.5 % 2", "0.5"},
      {"2 ** 10", "1024"},
      {"-2 ** 2", "-4"},
      {"2 ** -1", "0.5"},
      {"2 ** 3 ** 2", "512"},
      {"0.1 + 0.2 == 0.3", "false"},
      {"10 % (10 / 3) == 0", "false"},  // Python rounds 10 / 3.
      {"1 < x <= 6", "true"},
      {"1 < x < 6", "false"},
      {"x and y", "0.5"},
      {"0 or y", "0.5"},
      {"not x", "false"},
      {"True + True", "2"},
      {"x == 6.0", "true"},
      {"x in [1, 6]", "true"},
      {"x not in (1, 2)", "true"},
      {"x in (6,)", "true"},
      {"'a' in ['a', \"b\"]", "true"},
      {"'a' == 1", "false"},
      {"max(x, 3) + min([4, 2]) + abs(-1) + len([1, 2])", "11"},
      {"range(3)", "[0,1,2]"},
      {"list(range(1, 9, 3))", "[1,4,7]"},
      {"list(range(3, 0, -1))", "[3,2,1]"},
      {"[1] + [2*i for i in range(1,4)]", "[1,2,4,6]"},
      {"[2**i for i in range(0, 4) if i != 2]", "[1,2,8]"},
      {"[x for x in range(2)] + [x]", "[0,1,6]"},
      {"[4, 5, 6][1]", "5"},
      {"[4, 5, 6][-1] + range(3)[2] ** 2", "10"},
      {"[[1, 2], [3]][0][1]", "2"},
      {"[1, 2][2]", "error: [2] of a list of 2"},
      {"[1, 2][-3]", "error: [-3] of a list of 2"},
      {"x[0]", "error: what stands before '[' is no list"},
      {"[1][0.0]", "error: what stands within '[ ]' is no whole number"},
      {"1e3", "1000.0"},
      {".5", "0.5"},
      {"9223372036854775807 + 1", "error: a number has more than 64 bits"},
      {"x // 0", "error: it divides by 0"},
      {"x / (x - 6)", "error: it divides by 0"},
      {"'a' + 1", "error: a text is no number"},
      {"'a' < 1", "error: a text or a list is compared with something else"},
      {"range(10**9)", "error: a range has more than 65536 numbers"},
  };
  for (const auto& [text, value] : known) EXPECT_EQ(Value(text), value) << text;
}

TEST(PythonText, RefusesWithThePlace) {
  EXPECT_EQ(Refusal("x + z"), "column 5: unknown parameter 'z'; did you mean 'x'?");
  EXPECT_THAT(Refusal("__import__('os')"), HasSubstr("column 1: unknown function '__import__'"));
  EXPECT_THAT(Refusal("x.real"), HasSubstr("column 2"));
  EXPECT_THAT(Refusal("x if y else 2"), HasSubstr("column 3: 'if' is not understood"));
  EXPECT_THAT(Refusal("lambda: 1"), HasSubstr("column 7: ':' is not understood"));
  EXPECT_THAT(Refusal("x & 1"), HasSubstr("column 3: '&' is not understood"));
  EXPECT_THAT(Refusal("(x"), HasSubstr("column 3: ')' is missing before the end"));
  EXPECT_THAT(Refusal("'abc"), HasSubstr("column 1: the text has no end"));
  EXPECT_THAT(Refusal("0x10"), HasSubstr("column 1: '0x…' is no decimal number"));
  EXPECT_THAT(Refusal("f'a'"), HasSubstr("texts with a letter before them"));
  EXPECT_THAT(Refusal(""), HasSubstr("column 1: the end is not understood"));
  EXPECT_THAT(Refusal(std::string(5000, '(')), HasSubstr("nested too deeply"));
  EXPECT_THAT(Refusal(std::string(5000, '-') + "1"), HasSubstr("nested too deeply"));
}

TEST(PythonText, KnowsItsVariables) {
  PythonNode node = ParsePython("y > 1 or [i for i in range(x)]");
  BindNames(node, {"w", "x", "y"});
  // The variable of the list itself stands behind them.
  EXPECT_THAT(VariablesOf(node), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace exh::search
