// SPDX-License-Identifier: MIT
#include "search/own/decided_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "search/own/own_subject.h"

namespace exh::search {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSpace = R"(
/// Threads of a block.
/// as: BLOCK_SIZE_X
choice integer block(): 8 | 16 end
choice enum layout():
  /// as: "row major"
  value ROWS:
  /// as: -1.5
  value COLUMNS:
end
)";

OwnSubject Subject(const std::string& space, DecidedValues::Sizes sizes = {}) {
  return OwnSubject({{{"my.exh", space}}, "", {.run = "x"}}, std::move(sizes));
}

/// The implementation that takes the last value of everything.
runtime::Candidate Last(const OwnSubject& subject) {
  runtime::Candidate candidate = subject.root();
  for (runtime::DecisionId id = 0; id < candidate.instance().num_decisions(); ++id) {
    const int last = candidate.instance().num_values(id) - 1;
    EXPECT_EQ(candidate.Restrict(runtime::Action{id, runtime::Bits{1} << last}),
              runtime::Propagation::kFixpoint);
  }
  return candidate;
}

TEST(DecidedValues, AsTextJsonEnvironmentAndCommand) {
  const OwnSubject subject = Subject(kSpace);
  const DecidedValues& values = subject.values();
  const std::string text = values.TextOf(Last(subject));
  EXPECT_EQ(text, "EXH_BLOCK_SIZE_X=16\nEXH_LAYOUT=-1.5\n");
  EXPECT_EQ(values.JsonOf(text).dump(), R"({"BLOCK_SIZE_X":16,"layout":-1.5})");
  EXPECT_THAT(values.EnvironmentOf(text), ElementsAre("EXH_BLOCK_SIZE_X=16", "EXH_LAYOUT=-1.5"));
  EXPECT_EQ(values.Filled("./a {BLOCK_SIZE_X} {layout} ${X} {dir} {1} {{x}} a{b,c}", text, "/d e"),
            "./a 16 -1.5 ${X} '/d e' {1} {x} a{b,c}");
}

TEST(DecidedValues, TextsAreQuotedForAShell) {
  const OwnSubject subject = Subject(
      "choice enum how():\n  /// as: \"$HOME\"\n  value A:\n  /// as: \"it's $HOME\"\n  value "
      "B:\nend\n");
  const std::string text = subject.values().TextOf(Last(subject));
  EXPECT_EQ(text, "EXH_HOW='it'\\''s $HOME'\n");
  EXPECT_EQ(subject.values().Filled("echo {how}", text, ""), "echo 'it'\\''s $HOME'");
  EXPECT_THAT(subject.values().EnvironmentOf(text), ElementsAre("EXH_HOW=it's $HOME"));
}

TEST(DecidedValues, CommentsOfATextAreSkipped) {
  const OwnSubject subject = Subject(kSpace);
  EXPECT_EQ(subject.values()
                .JsonOf("#\n# Decisions\nEXH_BLOCK_SIZE_X=8\n\nEXH_LAYOUT='row major'\n")
                .dump(),
            R"({"BLOCK_SIZE_X":8,"layout":"row major"})");
  EXPECT_THROW(subject.values().JsonOf("EXH_BLOCK_SIZE_X=9\nEXH_LAYOUT=-1.5\n"), Error);
  EXPECT_THROW(subject.values().JsonOf(""), Error);
}

TEST(DecidedValues, UnknownNamesOfCommandsAreNamed) {
  const OwnSubject subject = Subject(kSpace);
  EXPECT_NO_THROW(subject.values().Check("--run", "{layout} {dir} ${HOME} {{x}} {1}"));
  try {
    subject.values().Check("--run", "./a {layot}");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--run: unknown decision or size 'layot'"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'layout'?"));
  }
}

TEST(DecidedValues, TwoOfOneNameAreRefused) {
  EXPECT_THROW(Subject("/// as: X\nchoice integer a(): 1 | 2 end\nchoice integer x(): 1 | 2 end\n"),
               UsageError);
}

TEST(OwnText, IsReadAsItWasWritten) {
  OwnText own;
  own.files = {{"my.exh", "include \"a.exh\"\n"}, {"a.exh", "// \xC3\xA4 \"x\"\n"}};
  own.data = R"({"n": 3})";
  own.program = {.run = "./a {x}",
                 .serve = "",
                 .build = "make",
                 .filter = "./f",
                 .timeout_s = 1.5,
                 .trust_times = true,
                 .at_once = 3};
  const OwnText read = ParseOwnText(WriteOwnText(own));
  EXPECT_EQ(WriteOwnText(read), WriteOwnText(own));
  ASSERT_EQ(read.files.size(), 2u);
  EXPECT_EQ(read.files[1].text, own.files[1].text);
  EXPECT_EQ(read.data, own.data);
  EXPECT_EQ(read.program.build, "make");
  EXPECT_EQ(read.program.timeout_s, 1.5);
  EXPECT_TRUE(read.program.trust_times);
  EXPECT_EQ(read.program.at_once, 3);
}

TEST(OwnText, DamagedOnesAreSaid) {
  for (const char* text : {"", "{}", "[]", R"({"files":[],"data":null,"program":{}})",
                           R"({"files":[{"path":1}],"data":null,"program":{}})"}) {
    EXPECT_THROW(ParseOwnText(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace exh::search
