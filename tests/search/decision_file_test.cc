// SPDX-License-Identifier: MIT
#include "search/subject/decision_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "base/error.h"
#include "search/descend/descent.h"
#include "search/log/decisions.h"
#include "search/subject/problem.h"
#include "tests/search/log_samples.h"
#include "tests/search/temp_folder.h"
#include "tests/search/toy_space.h"
#include "tests/support/tree.h"

namespace exh::search {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<DecisionFile::Line> Apply(const std::string& text, runtime::Candidate& candidate) {
  return ApplyDecisions(ParseDecisionFile(text, "mm.txt"), candidate);
}

std::string Refused(const std::string& text) {
  runtime::Candidate candidate = ToyRoot();
  return Thrown<UsageError>([&] { Apply(text, candidate); });
}

TEST(DecisionFile, HeaderCommentsAndBlanks) {
  const DecisionFile file = ParseDecisionFile(
      "# by hand\n\nkernel: matmul # a kernel\n size : m=512,n=512 \r\ndevice:cpu\n"
      "color(a)=RED # fast\n  order(a, b) = BEFORE|AFTER",
      "mm.txt");
  EXPECT_EQ(file.kernel, "matmul");
  EXPECT_EQ(file.sizes, "m=512,n=512");
  EXPECT_EQ(file.device, "cpu");
  ASSERT_EQ(file.decisions.size(), 2u);
  EXPECT_EQ(file.decisions[0].number, 6);
  EXPECT_EQ(file.decisions[0].text, "color(a)=RED");
  EXPECT_EQ(file.decisions[1].number, 7);
}

TEST(DecisionFile, UnknownHeaderLines) {
  EXPECT_EQ(Thrown<UsageError>([] { ParseDecisionFile("\nkernle: matmul\n", "mm.txt"); }),
            "mm.txt:2: unknown header 'kernle'; did you mean 'kernel'?");
  EXPECT_THAT(Thrown<UsageError>([] { ParseDecisionFile("size: m=1\nsize: m=2\n", "mm.txt"); }),
              HasSubstr("mm.txt:2: 'size' stands twice"));
  EXPECT_THAT(Thrown<UsageError>([] { ReadDecisionFile("/nonexistent"); }),
              HasSubstr("cannot read"));
}

TEST(DecisionFile, DecisionsAreTakenInAnyOrder) {
  const std::vector<std::string> lines = {"color(a)=RED\n", "order(b,a)=BEFORE\n", "size(c)=2|4\n",
                                          "color(b)=GREEN|RED\n"};
  runtime::Candidate forwards = ToyRoot(), backwards = ToyRoot();
  EXPECT_THAT(Apply(lines[0] + lines[1] + lines[2] + lines[3], forwards), IsEmpty());
  EXPECT_THAT(Apply(lines[3] + lines[2] + lines[1] + lines[0], backwards), IsEmpty());
  EXPECT_EQ(forwards.state(), backwards.state());
  // a is RED, so b is GREEN, so c is BLUE: the file's words and what follows from them.
  std::map<std::string, runtime::Bits> domains;
  const auto& instance = forwards.instance();
  for (runtime::DecisionId id = 0; id < instance.num_decisions(); ++id) {
    domains[instance.DecisionName(id)] = forwards.domain(id);
  }
  EXPECT_EQ(domains["color(c)"], kBlue);
  EXPECT_EQ(domains["order(a,b)"], 2u);
  EXPECT_EQ(domains["size(c)"], 6u);
}

TEST(DecisionFile, UnknownNamesGetTheirLineAndTheNearestLegalName) {
  EXPECT_THAT(Refused("color(a)=RED\n\ncolour(a)=RED\n"),
              AllOf(HasSubstr("mm.txt:3: "), HasSubstr("colour"), HasSubstr("'color'")));
  EXPECT_THAT(Refused("color(a)=GREN\n"),
              AllOf(HasSubstr("mm.txt:1: "), HasSubstr("GREN"), HasSubstr("GREEN")));
  EXPECT_THAT(Refused("color(q)=RED\n"), AllOf(HasSubstr("mm.txt:1: "), HasSubstr("'q'")));
  EXPECT_THAT(Refused("size(a)=3\n"), AllOf(HasSubstr("mm.txt:1: "), HasSubstr("3")));
  EXPECT_THAT(Refused("this is no decision\n"), HasSubstr("mm.txt:1: "));
}

TEST(DecisionFile, EveryMistakeIsTold) {
  const std::string message = Refused("colour(a)=RED\ncolor(a)=RED\nsize(a)=3\n");
  EXPECT_THAT(message, AllOf(HasSubstr("mm.txt:1: "), HasSubstr("\nmm.txt:3: ")));
}

TEST(DecisionFile, AContradictionNamesTheLineAndWhatStandsAgainstIt) {
  EXPECT_THAT(Refused("color(a)=RED\nsize(a)=4\ncolor(b)=RED\n"),
              HasSubstr("mm.txt:3: color(b)=RED contradicts the decisions above it "
                        "(left is only GREEN|BLUE)"));
  EXPECT_THAT(Refused("mode(r)=TIGHT\ncolor(b)=RED\n"),
              AllOf(HasSubstr("mm.txt:2: color(b)=RED contradicts the decisions above it"),
                    HasSubstr("requirement different")));
}

TEST(DecisionFile, WhatIsOpenIsCompletedTheSameWayForTheSameSeed) {
  std::string first;
  for (int repetition = 0; repetition < 2; ++repetition) {
    runtime::Candidate candidate = ToyRoot();
    ASSERT_THAT(Apply("color(a)=BLUE\nsize(a)=4\n", candidate), IsEmpty());
    Random random(7);
    const ChoiceOrder order = ChoiceOrder::Default(candidate.instance());
    EXPECT_FALSE(CompleteByDescent(order, random, candidate).empty());
    EXPECT_TRUE(candidate.IsImplementation());
    if (repetition == 0) first = VectorText(candidate);
    EXPECT_EQ(VectorText(candidate), first);
  }
}

TEST(DecisionFile, DecisionsWithoutAnImplementationAreRefused) {
  runtime::Candidate candidate = ToyRoot();
  ASSERT_THAT(Apply("mode(r)=TIGHT\n", candidate), IsEmpty());
  Random random(1);
  const ChoiceOrder order = ChoiceOrder::Default(candidate.instance());
  EXPECT_THAT(Thrown<UsageError>([&] { CompleteByDescent(order, random, candidate); }),
              HasSubstr("no implementation has these decisions"));
}

TEST(DecisionFile, WhatIsWrittenIsReadBack) {
  runtime::Candidate candidate = ToyRoot();
  Random random(3);
  const ChoiceOrder order = ChoiceOrder::Default(candidate.instance());
  Descender descender(order);
  ASSERT_EQ(descender.Run(candidate, random, [](const DeadEnd&) {}),
            DescentResult::kImplementation);
  Path path = descender.path();
  CompletePath(candidate, descender.candidate(), order, path);
  const std::string text =
      WriteDecisionFile(SampleRun(), candidate.instance(), path, "Record 3 of a test");
  const DecisionFile file = ParseDecisionFile(text, "best.replay");
  EXPECT_EQ(file.kernel, "matmul");
  EXPECT_EQ(file.sizes, "m=512,n=4");
  EXPECT_EQ(file.device, "cpu");
  EXPECT_THAT(ApplyDecisions(file, candidate), IsEmpty());
  EXPECT_EQ(VectorText(candidate), VectorText(descender.candidate()));
}

/// The space grows: what was a whole implementation must not become one with open decisions.
TEST(DecisionFile, ReplaysOfTheRepositoryDecideEverything) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(kSourceDir) +
                                                                         "/kernels/replays")) {
    if (entry.is_directory()) continue;
    const DecisionFile file = ReadDecisionFile(entry.path().string());
    // What `cpu` is depends on the machine.
    if (file.device != "h200") continue;
    ++files;
    ProblemOptions options;
    options.device.clear();
    MergeHeader(file, options);
    const Problem problem = MakeProblem(options);
    runtime::Candidate candidate = problem.root();
    EXPECT_THAT(ApplyDecisions(file, candidate), IsEmpty()) << entry.path();
    EXPECT_TRUE(candidate.IsImplementation()) << entry.path();
  }
  EXPECT_GT(files, 20);
}

}  // namespace
}  // namespace exh::search
