// SPDX-License-Identifier: MIT
#include "dsl/diagnostics/source.h"

#include <gtest/gtest.h>

#include "dsl/diagnostics/diagnostic.h"

namespace exh::dsl {
namespace {

TEST(Source, LinesAndColumnsStartAtOneAndCountCharacters) {
  const std::string text = "ab\n\té!\n";
  EXPECT_EQ(Locate(text, 0), (LineColumn{1, 1}));
  EXPECT_EQ(Locate(text, 2), (LineColumn{1, 3}));
  EXPECT_EQ(Locate(text, 3), (LineColumn{2, 1}));
  EXPECT_EQ(Locate(text, 6), (LineColumn{2, 3}));  // After the two bytes of é.
  EXPECT_EQ(Locate(text, 99), (LineColumn{3, 1}));
}

TEST(Source, LineAtFindsTheWholeLine) {
  const std::string text = "ab\r\n\ncd";
  EXPECT_EQ(LineAt(text, 0), "ab");
  EXPECT_EQ(LineAt(text, 2), "ab");
  EXPECT_EQ(LineAt(text, 4), "");
  EXPECT_EQ(LineAt(text, 5), "cd");
  EXPECT_EQ(LineAt(text, 99), "cd");
}

TEST(Source, PathsBelowTheRootArePrintedRelativeToIt) {
  SourceSet sources;
  sources.set_root("/some/root");
  sources.AddInMemory("/some/root/a/b.exh", "");
  sources.AddInMemory("/other/c.exh", "");
  std::string error;
  EXPECT_EQ(sources.file(*sources.Open("/some/root/a/../a/b.exh", {}, &error)).display, "a/b.exh");
  EXPECT_EQ(sources.file(*sources.Open("/other/c.exh", {}, &error)).display, "/other/c.exh");
}

TEST(Source, OneFileHasOneNumberHoweverItIsSpelt) {
  SourceSet sources;
  sources.AddInMemory("a/b.exh", "x");
  std::string error;
  EXPECT_EQ(sources.Open("a/b.exh", {}, &error), sources.Open("./a/../a/b.exh", {}, &error));
  EXPECT_EQ(sources.size(), 1U);
}

TEST(Source, WhatIsNotARegularFileIsRefused) {
  SourceSet sources;
  std::string error;
  EXPECT_FALSE(sources.Open("/dev/zero", {}, &error));
  EXPECT_EQ(error, "not a regular file");
  EXPECT_FALSE(sources.Open("/", {}, &error));
  EXPECT_EQ(error, "Is a directory");
}

TEST(Diagnostics, AreSortedAndRepeatedOnesDropped) {
  DiagnosticSink sink;
  sink.Report(Diag::kUnknownSet, {0, 9, 10}, "late");
  sink.Report(Diag::kUnknownSet, {0, 1, 2}, "early").WithNote({0, 0, 1}, "why");
  sink.Report(Diag::kUnknownSet, {0, 1, 2}, "early");
  const auto sorted = sink.Sorted();
  ASSERT_EQ(sorted.size(), 2U);
  EXPECT_EQ(sorted[0].message, "early");
  EXPECT_EQ(sorted[0].notes.size(), 1U);
  EXPECT_EQ(sorted[1].message, "late");
}

TEST(Diagnostics, BeyondTheCapOnlyTheirNumberIsTold) {
  DiagnosticSink sink;
  for (std::uint32_t i = 0; i < 5; ++i) sink.Report(Diag::kNoValues, {0, i, i}, "warning");
  for (std::uint32_t i = 0; i < 5; ++i)
    sink.Report(Diag::kUnknownSet, {0, 10 + i, 10 + i}, "error " + std::to_string(i));
  const auto sorted = sink.Sorted(3);
  ASSERT_EQ(sorted.size(), 4U);
  EXPECT_EQ(sorted[0].message, "error 0");  // Warnings do not push errors out.
  EXPECT_EQ(sorted[3].message, "2 more like these not shown");
  EXPECT_EQ(sink.Sorted(10).size(), 10U);
}

TEST(Diagnostics, TheFirstOfManyAlikeStandsForTheRest) {
  DiagnosticSink sink;
  for (std::uint32_t i = 0; i < 5; ++i) {
    sink.Report(Diag::kUnknownSet, {0, i, i}, "unknown set 'A'");
    if (i < 2) sink.Report(Diag::kUnknownSet, {0, 10 + i, 10 + i}, "unknown set 'B'");
    sink.Report(Diag::kRepeatedLabel, {0, 20 + i, 20 + i}, "twice");
  }
  const auto sorted = sink.Sorted();
  ASSERT_EQ(sorted.size(), 8U);
  EXPECT_EQ(sorted[0].message, "unknown set 'A'");
  ASSERT_EQ(sorted[0].notes.size(), 1U);
  EXPECT_EQ(sorted[0].notes[0].message, "the same here, and in 3 more places");
  EXPECT_EQ(sorted[0].notes[0].range.begin, 1U);
  EXPECT_EQ(sorted[2].message, "unknown set 'B'");
  EXPECT_EQ(sorted[7].message, "twice");
}

TEST(Diagnostics, WhatMayFollowFromASyntaxErrorIsNotSaid) {
  DiagnosticSink sink;
  sink.Report(Diag::kUnexpectedToken, {0, 1, 1}, "syntax");
  sink.Report(Diag::kNoValues, {0, 2, 2}, "warning");
  sink.Report(Diag::kUnknownSet, {0, 3, 3}, "unknown set 'A'");
  EXPECT_EQ(sink.Sorted().size(), 2U);
  sink.Report(Diag::kUnknownSet, {0, 4, 4}, "unknown set 'B'");
  sink.Report(Diag::kUnknownSet, {0, 5, 5}, "unknown set 'C'");
  ASSERT_EQ(sink.Sorted().size(), 1U);
  EXPECT_EQ(sink.Sorted()[0].message, "syntax");
}

}  // namespace
}  // namespace exh::dsl
