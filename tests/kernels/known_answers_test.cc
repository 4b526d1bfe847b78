// SPDX-License-Identifier: MIT
#include "kernels/cpu/known_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/system/scratch_folder.h"

namespace exh::kernels {
namespace {

using Outcome = KnownAnswer::Outcome;
using Options = std::vector<std::string>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<KnownText> kTexts = {
    {"sums", "sum(", "1", false}, {"maxima", "max(", "2", false}, {"choices", "", "3", true}};
const std::vector<Options> kRemedies = {{"-a"}, {"-b", "-c"}};

/// What is wrong, without options and with `-b`.
KnownAnswers Asked(const std::string& wrong, const std::string& wrong_still = "") {
  return AskForKnownAnswers(
      "cc 1.0", kTexts, kRemedies, [&](const KnownText& text, const Options& options) {
        const std::string& all = options.empty() ? wrong : wrong_still;
        const bool mends = !options.empty() && options.front() == "-b";
        const bool is_wrong = all.find(text.what) != all.npos || (!options.empty() && !mends);
        return is_wrong ? KnownTry{Outcome::kWrong, "1 is 2"} : KnownTry{Outcome::kRight, ""};
      });
}

TEST(KnownAnswers, OptionsAreForTextsThatHaveTheMark) {
  const KnownAnswers known = Asked("sums");
  EXPECT_THAT(known.OptionsFor("x = sum(y) + sum(z)"), ElementsAre("-b", "-c"));
  EXPECT_THAT(known.OptionsFor("x = max(y)"), IsEmpty());
  EXPECT_THAT(known.Notes(),
              ElementsAre("cc 1.0: sums are compiled wrongly (1 is 2): texts that have them are "
                          "compiled with -b -c besides"));
  EXPECT_THAT(known.Report(), ElementsAre("cc 1.0: 2 of 3 right", HasSubstr("sums are")));
  // Two marks in one text, one option: it is there once.
  EXPECT_THAT(Asked("sums maxima").OptionsFor("max(sum("), ElementsAre("-b", "-c"));
}

TEST(KnownAnswers, WhatIsAvoidedNeedsNoOptionAndNoNote) {
  const KnownAnswers known = Asked("choices");
  EXPECT_THAT(known.Notes(), IsEmpty());
  EXPECT_THAT(known.OptionsFor("anything"), IsEmpty());
  EXPECT_THAT(known.Report(),
              ElementsAre("cc 1.0: 2 of 3 right", HasSubstr("no text has them in this form")));
}

TEST(KnownAnswers, WhatNothingMendsIsSaid) {
  const KnownAnswers known = Asked("sums", "sums");
  EXPECT_THAT(known.OptionsFor("sum("), IsEmpty());
  EXPECT_THAT(known.Notes(), ElementsAre(HasSubstr("no option mends that")));
}

TEST(KnownAnswers, AreReadAsTheyWereWritten) {
  const KnownAnswers known = Asked("sums choices");
  const std::string json = ToJson(known);
  EXPECT_EQ(ParseKnownAnswers(json), known);
  std::string damaged = json;
  damaged[damaged.find("-b")] = '+';
  EXPECT_EQ(ParseKnownAnswers(damaged), std::nullopt);
  for (const char* text : {"", "{}", "[]", "{\"compiler\": 1}", "null"}) {
    EXPECT_EQ(ParseKnownAnswers(text), std::nullopt) << text;
  }
}

TEST(KnownAnswers, TheCacheKeepsWhatCouldBeAsked) {
  const ScratchFolder folder;
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  KnownAnswers known = Asked("sums");
  EXPECT_EQ(FindKnownAnswers("key"), std::nullopt);
  KeepKnownAnswers("key", known);
  EXPECT_EQ(FindKnownAnswers("key"), known);
  EXPECT_EQ(FindKnownAnswers("another key"), std::nullopt);
  known.trouble = "no memory";
  KeepKnownAnswers("another key", known);
  EXPECT_EQ(FindKnownAnswers("another key"), std::nullopt);
  EXPECT_THAT(known.Notes(), ElementsAre("the compiler was not asked for known answers: no memory",
                                         HasSubstr("sums are compiled wrongly")));
  // A file that was cut off is asked for again.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), 40);
  }
  EXPECT_EQ(FindKnownAnswers("key"), std::nullopt);
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace exh::kernels
