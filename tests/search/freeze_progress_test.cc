// SPDX-License-Identifier: MIT
#include "search/subject/freeze_progress.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "base/error.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

/// What a freeze of these seconds shows.
std::string Shown(bool is_terminal, std::initializer_list<double> seconds) {
  std::FILE* const out = std::tmpfile();
  EXPECT_NE(out, nullptr);
  {
    const runtime::FreezeOptions options = ShownFreeze(nullptr, out, is_terminal);
    for (const double at : seconds) EXPECT_TRUE(options.progress({"rows", at / 25, at}));
  }
  std::string text(static_cast<std::size_t>(std::ftell(out)), ' ');
  std::rewind(out);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), out), text.size());
  std::fclose(out);
  return text;
}

TEST(FreezeProgress, AShortFreezeIsSilent) {
  EXPECT_EQ(Shown(true, {0.2, 0.4, 1.9}), "");
  EXPECT_EQ(Shown(false, {0.2, 0.4, 1.9}), "");
}

TEST(FreezeProgress, ALongOneHasALine) {
  EXPECT_EQ(Shown(true, {1.9, 2.1, 12}),
            "\r\033[Kthe space is being built: 8 %, rows, 2 s"
            "\r\033[Kthe space is being built: 48 %, rows, 12 s\r\033[K");
}

TEST(FreezeProgress, InAFileLinesAreFew) {
  EXPECT_EQ(Shown(false, {1.9, 2.1, 2.3, 12, 12.3, 14}),
            "the space is being built: 8 %, rows, 2 s\n"
            "the space is being built: 49 %, rows, 12 s\n");
}

TEST(FreezeProgress, StopsWithItsToken) {
  StopToken stop;
  const runtime::FreezeOptions options = ShownFreeze(&stop, stderr, false);
  EXPECT_TRUE(options.progress({"rows", 0, 0.2}));
  stop.Stop();
  EXPECT_THROW(options.progress({"rows", 0, 0.4}), Interrupted);
}

TEST(FreezeProgress, WhatIsExpectedToTakeLongIsSaidAtOnce) {
  for (const bool is_terminal : {false, true}) {
    std::FILE* const out = std::tmpfile();
    ASSERT_NE(out, nullptr);
    {  // The line is taken away before the file is closed.
      const runtime::FreezeOptions options = ShownFreeze(nullptr, out, is_terminal);
      options.progress({"rows", 0.01, 0.2, 0.9});
      EXPECT_EQ(std::ftell(out), 0);
      options.progress({"rows", 0.01, 0.2, 13});
    }
    std::string text(static_cast<std::size_t>(std::ftell(out)), ' ');
    std::rewind(out);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), out), text.size());
    EXPECT_NE(text.find("the space is being built: 1 %, rows, 0 s of about 13 s"),
              std::string::npos)
        << text;
    std::fclose(out);
  }
}

TEST(FreezeProgress, WhatIsSeenReplacesWhatWasExpected) {
  EXPECT_EQ(WholeSeconds({"rows", 0, 0.5, 13}), 13);
  EXPECT_EQ(WholeSeconds({"rows", 0.5, 20, 13}), 40);
  EXPECT_EQ(WholeSeconds({"rows", 0.1, 4, 20}), 30);
  EXPECT_EQ(WholeSeconds({"rows", 0.25, 4, 0}), 16);
  EXPECT_EQ(WholeSeconds({"rows", 0, 4, 0}), 4);
}

TEST(FreezeProgress, ABudgetThatIsOverSaysWhatWouldBeEnough) {
  EXPECT_EQ(EndedText({"rows", 0.5, 13, 20}, /*by_signal=*/false),
            "the budget was over while the space was built, before anything was tried: 50 % of it "
            "was done in 13.0 s, and all of it takes about 26 s; --budget 60s leaves time for a "
            "search");
  EXPECT_EQ(EndedText({"rows", 0.5, 13, 20}, /*by_signal=*/true),
            "interrupted while the space was built, after 13.0 s");
}

/// What is said of the seconds rests on what is counted, and that does not depend on the machine.
TEST(FreezeProgress, WhatIsExpectedIsAboutWhatIsLookedAt) {
  for (const char* device : {"cpu", "h200"}) {
    for (const char* kernel : {"axpy", "mv", "matmul", "softmax"}) {
      ProblemOptions options;
      options.kernel = kernel;
      options.device = device;
      const Problem problem = MakeProblem(options);
      const runtime::InstanceStatistics& counted = problem.task.instance->statistics();
      EXPECT_GT(counted.expected_words, 0.9 * counted.words_looked_at) << kernel << " " << device;
      // Snippets and the root leave out much of what is said of two objects.
      EXPECT_LT(counted.expected_words, 3 * counted.words_looked_at) << kernel << " " << device;
    }
  }
}

}  // namespace
}  // namespace exh::search
