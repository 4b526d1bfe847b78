// SPDX-License-Identifier: MIT
#include "search/own/launch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace exh::search {
namespace {

using kernels::OwnArgument;
using ::testing::HasSubstr;

constexpr const char* kText = R"x({
  "block": ["block_x()", 2], "grid": "n div 2", "shared": 64, "tolerance": 0.01,
  "arguments": [{"name": "a", "type": "type", "elements": "n"},
                {"name": "s", "type": "f32", "value": 0.5},
                {"name": "n", "type": "i32", "value": "n"},
                {"name": "c", "type": "i8", "elements": 8, "role": "out"}],
  "constants": [{"name": "w", "type": "u16", "elements": "2 * 3", "fill": 7}],
  "defines": {"TILE": "2 * tile()"}, "options": ["-DX"], "default": {"tile": 2}})x";

TEST(LaunchFile, TermsAreCalledByTheirPlace) {
  const LaunchFile file = ParseLaunchFile(kText, "l.json", "f16");
  ASSERT_EQ(file.block.size(), 2u);
  EXPECT_EQ(file.terms[file.block[0]].name, "l.json: block[0]");
  EXPECT_EQ(file.terms[file.block[0]].text, "block_x()");
  EXPECT_EQ(file.terms[file.block[1]].text, "2");
  EXPECT_EQ(file.terms[file.grid.at(0)].name, "l.json: grid");
  EXPECT_EQ(file.terms[*file.shared].text, "64");
  ASSERT_EQ(file.arguments.size(), 4u);
  EXPECT_EQ(file.arguments[0].is.type.word(), "f16");
  EXPECT_EQ(file.arguments[1].real, 0.5);
  EXPECT_EQ(file.terms[*file.arguments[2].term].name, "l.json: arguments[2].value");
  EXPECT_EQ(file.arguments[3].is.role, OwnArgument::Role::kOut);
  EXPECT_EQ(file.terms[file.defines.at(0).second].text, "2 * tile()");
  EXPECT_EQ(file.tolerance, 0.01);
  ASSERT_EQ(file.constants.size(), 1u);
  EXPECT_EQ(file.terms[*file.constants[0].term].name, "l.json: constants[0].elements");
  EXPECT_EQ(file.constants[0].is.type.word(), "u16");
  EXPECT_EQ(file.constants[0].is.number, 7);
}

TEST(LaunchFile, MistakesHaveAPlace) {
  try {
    ParseLaunchFile(R"({"grid": 1, "block": 1, "arguments": [{"type": "f32"}]})", "l.json", "");
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("arguments[0]"));
    EXPECT_THAT(error.what(), HasSubstr("\"elements\" of an array, or \"value\" of a scalar"));
  }
}

}  // namespace
}  // namespace exh::search
