// SPDX-License-Identifier: MIT
#include "search/propose/constants/constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/error.h"
#include "tests/support/tree.h"

namespace exh::search {
namespace {

using testing::HasSubstr;

std::string MessageOf(const std::string& text) {
  try {
    ParseConstant("--vary", text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ProposerConstants, AreNumbersOfTheirOwn) {
  std::set<std::string_view> names;
  for (const ProposerConstant& constant : ProposerConstants()) {
    EXPECT_TRUE(names.insert(constant.name).second) << constant.name;
    const double usual = constant.get({});
    EXPECT_GE(usual, constant.least) << constant.name;
    EXPECT_LE(usual, constant.most) << constant.name;
    // Setting one changes that one, and no other.
    ProposerOptions options;
    const double other = usual == constant.most ? constant.least : constant.most;
    constant.set(options, other);
    EXPECT_EQ(constant.get(options), other) << constant.name;
    for (const ProposerConstant& unchanged : ProposerConstants()) {
      if (unchanged.name == constant.name) continue;
      EXPECT_EQ(unchanged.get(options), unchanged.get({})) << constant.name << unchanged.name;
    }
  }
}

TEST(ProposerConstants, AreParsed) {
  const auto walks = ParseConstant("--vary", "walks=1,4");
  ASSERT_EQ(walks.size(), 2u);
  EXPECT_EQ(walks[1].Text(), "walks=4");
  ProposerOptions options;
  walks[1].constant->set(options, walks[1].value);
  EXPECT_EQ(options.near.walks, 4);
  EXPECT_EQ(ParseConstant("--vary", "on_islands=0.25")[0].Text(), "on_islands=0.25");
}

TEST(ProposerConstants, MistakesAreSaid) {
  EXPECT_THAT(MessageOf("walk=1"),
              HasSubstr("there is no constant 'walk'; did you mean 'walks'?; legal: screen, "));
  EXPECT_THAT(MessageOf("walks=0"), HasSubstr("'0'; walks (walks for one proposal, at most) is a "
                                              "whole number from 1 to 64"));
  EXPECT_THAT(MessageOf("walks=1.5"), HasSubstr("whole number"));
  EXPECT_THAT(MessageOf("on_islands=2"), HasSubstr("is a number from 0 to 1"));
  EXPECT_THAT(MessageOf("on_islands=many"), HasSubstr("'many'"));
  EXPECT_THAT(MessageOf("walks"), HasSubstr("there is no value"));
  EXPECT_THAT(MessageOf("walks="), HasSubstr("there is no value"));
}

TEST(ProposerConstants, AreInTheDocumentation) {
  std::ifstream file(std::string(kSourceDir) + "/docs/search.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const ProposerConstant& constant : ProposerConstants()) {
    EXPECT_THAT(text.str(), HasSubstr("`" + std::string(constant.name) + "`"));
  }
}

}  // namespace
}  // namespace exh::search
