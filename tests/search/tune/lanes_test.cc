// SPDX-License-Identifier: MIT
//
// Lanes, with a script in the place of a search.
#include "search/tune/lanes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "search/learn/prior.h"
#include "search/log/event_log.h"
#include "search/tune/shared/fleet_priors.h"
#include "search/tune/status/fleet_status.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class Lanes : public testing::Test {
 protected:
  Lanes() : folder_(temporary_.path() + "/fleet") {
    folder_.Make();
    options_.budgets = {"60s"};
    Log("/good.jsonl", /*has_end=*/true);
  }

  /// A log of a run that took 20 s and has a best.
  void Log(const std::string& name, bool has_end, const std::string& prior = "") const {
    EventLog log(temporary_.path() + name);
    RunRecord run;
    run.kernel = "axpy";
    run.device = "cpu";
    run.policy = "tag";
    run.prior = prior;
    log.Write(run);
    ChoiceRecord choice;
    choice.index = 0;
    choice.name = "cache";
    choice.args = {"store"};
    choice.domain = {"NONE", "L2"};
    log.Write(choice);
    EvalRecord eval;
    eval.n = 1;
    eval.dt = 20;
    eval.verdict = kernels::Verdict::kCorrect;
    eval.best_ns = 1000;
    eval.path = {{0, 1}};
    eval.vector = "1";
    log.Write(eval);
    BestRecord best;
    best.n = 1;
    best.dt = 20;
    best.ns = 1000;
    log.Write(best);
    if (!has_end) return;
    EndRecord end;
    end.dt = 20;
    end.why = "budget:time";
    end.evaluations = 1;
    end.best = 1;
    log.Write(end);
  }

  /// A log of a run that found nothing in so many evaluations; `why` it ended, if it did.
  void Vain(const std::string& name, std::uint64_t evaluations, const std::string& why) const {
    EventLog log(temporary_.path() + name);
    RunRecord run;
    run.kernel = "axpy";
    run.device = "cpu";
    run.policy = "tag";
    log.Write(run);
    for (std::uint64_t n = 1; n <= evaluations; ++n) {
      EvalRecord eval;
      eval.n = n;
      eval.dt = static_cast<double>(n);
      eval.verdict = kernels::Verdict::kCompileError;
      eval.vector = std::to_string(n);
      log.Write(eval);
    }
    if (why.empty()) return;
    EndRecord end;
    end.dt = static_cast<double>(evaluations);
    end.why = why;
    end.evaluations = evaluations;
    log.Write(end);
  }

  /// `text` is a script that has the words of a search; $out, $gpu and $here are set, and `finish`
  /// ends it well.
  void Script(const std::string& text) const {
    std::ofstream(temporary_.path() + "/search.sh")
        << "here=" << temporary_.path() << "\n"
        << "for word; do case $word in\n"
        << "  --out=*|--resume=*) out=${word#--*=} ;;\n"
        << "  --gpu=*) gpu=${word#--gpu=} ;;\n"
        << "esac; done\n"
        << "echo \"$@\" >> \"$here/words\"\n"
        << "finish() { mkdir -p \"$out\"; cp \"$here/good.jsonl\" \"$out/log.jsonl\"; exit 0; }\n"
        << text << "\n";
  }

  static TuneShape Shape(int n) {
    TuneShape shape;
    shape.kernel = "axpy";
    shape.sizes = {{"n", std::to_string(n)}};
    shape.name = "axpy-n" + std::to_string(n);
    return shape;
  }

  LaneTotals Run(int shapes, const std::vector<std::optional<int>>& lanes) {
    std::vector<TuneShape> all;
    for (int n = 1; n <= shapes; ++n) all.push_back(Shape(n));
    const ShapeRunner runner{
        folder_, options_, {"/bin/sh", temporary_.path() + "/search.sh"}, &stop_};
    return RunLanes({runner, all, "local", lanes, "cpu"});
  }

  std::string Words() const {
    std::ifstream file(temporary_.path() + "/words");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  ShapePhase PhaseOf(int n) const { return StateOf(folder_, Shape(n), Journals(folder_)).phase; }

  TempFolder temporary_;
  FleetFolder folder_;
  FleetOptions options_;
  StopToken stop_;
};

TEST_F(Lanes, RunAtOnce) {
  // Each waits for the other one.
  Script(
      "touch \"$here/in.$gpu\"\n"
      "for i in $(seq 600); do\n"
      "  [ -e \"$here/in.0\" ] && [ -e \"$here/in.1\" ] && finish\n"
      "  sleep 0.1\n"
      "done\n"
      "exit 1");
  const LaneTotals totals = Run(4, {0, 1});
  EXPECT_EQ(totals.done, 4U);
  EXPECT_THAT(totals.failures, IsEmpty());
}

TEST_F(Lanes, AGpuThatIsLostLeavesShapesToOthers) {
  Script(
      "[ \"$gpu\" = 1 ] && { echo 'search: GPU 1 is lost' >&2; exit 1; }\n"
      // Until the other one has given up.
      "for i in $(seq 600); do\n"
      "  [ \"$(grep -c gpu=1 \"$here/words\")\" = 3 ] && finish\n"
      "  sleep 0.1\n"
      "done\n"
      "finish");
  const LaneTotals totals = Run(8, {0, 1});
  EXPECT_EQ(totals.done, 5U);
  ASSERT_THAT(totals.failures, SizeIs(3));
  EXPECT_THAT(totals.failures[0], HasSubstr(": GPU 1 is lost"));
}

TEST_F(Lanes, TheLastLaneGoesOn) {
  Script("case $out in *n5) finish ;; esac; echo broken; exit 7");
  const LaneTotals totals = Run(5, {std::nullopt});
  EXPECT_EQ(totals.done, 1U);
  ASSERT_THAT(totals.failures, SizeIs(4));
  EXPECT_EQ(totals.failures[0], "axpy-n1: broken");
  EXPECT_EQ(PhaseOf(1), ShapePhase::kFailed);
  EXPECT_EQ(PhaseOf(5), ShapePhase::kDone);
}

TEST_F(Lanes, WinnersAreHandedOn) {
  Script("finish");
  Run(3, {std::nullopt});
  std::vector<std::string> lines;
  std::stringstream words(Words());
  for (std::string line; std::getline(words, line);) lines.push_back(line);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[0], AllOf(HasSubstr("--kernel=axpy --size=n=1 "), HasSubstr("--device=cpu"),
                              HasSubstr("--budget=60s"), Not(HasSubstr("--first"))));
  // The nearest first.
  EXPECT_THAT(lines[2], HasSubstr("--first=" + folder_.FirstOf(Shape(3), 1) + " --first="));
  std::ifstream first(folder_.FirstOf(Shape(3), 1));
  std::string comment, step;
  std::getline(first, comment);
  std::getline(first, step);
  EXPECT_EQ(comment, "# What won axpy-n2: 1.00 us");
  EXPECT_EQ(step, "cache(store)=L2");
}

/// What `search learn` writes.
Prior SomePrior(double offset) {
  Prior prior;
  prior.device = "cpu-avx2";
  prior.offset = offset;
  prior.columns = {"size most"};
  prior.trees = {RegressionTree(std::vector<RegressionTree::Node>{{.value = 1}})};
  prior.made_of = {{"axpy n=1", "", 8}};
  return prior;
}

constexpr const char* kLearns =
    "[ \"$1\" = learn ] && {\n"
    "  echo \"$@\" >> \"$here/learned\"\n"
    "  cp \"$here/prior.json\" \"$out\"\n"
    "  exit 0\n"
    "}\n"
    "finish";

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::stringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

// When 4, 8, 16 … have ended: each time of twice as many, and all together of fewer than twice all.
TEST_F(Lanes, WhatEndedIsLearnedFrom) {
  std::ofstream(temporary_.path() + "/prior.json") << PriorText(SomePrior(1));
  Script(kLearns);
  EXPECT_EQ(Run(10, {std::nullopt}).done, 10U);
  const std::vector<std::string> learned = Lines(ReadAll(temporary_.path() + "/learned"));
  ASSERT_THAT(learned, SizeIs(2));
  for (int n = 1; n <= 8; ++n) {
    const std::string run = folder_.RunOf(Shape(n));
    EXPECT_EQ(learned[0].find(run) != std::string::npos, n <= 4) << n;
    EXPECT_THAT(learned[1], HasSubstr(run));
  }
  std::vector<std::string> begun;
  for (const std::string& line : Lines(Words())) {
    if (!line.starts_with("learn ")) begun.push_back(line);
  }
  ASSERT_THAT(begun, SizeIs(10));
  for (std::size_t i = 0; i < begun.size(); ++i) {
    const std::string file = i < 4 ? "" : i < 8 ? "axpy-cpu.4.json" : "axpy-cpu.8.json";
    if (file.empty()) {
      EXPECT_THAT(begun[i], Not(HasSubstr("--prior")));
    } else {
      EXPECT_THAT(begun[i], HasSubstr("--prior=" + folder_.priors() + "/" + file + " "));
    }
  }
  std::size_t files = 0;  // Nothing is left of what was written aside.
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder_.priors())) {
    ++files;
  }
  EXPECT_EQ(files, 2U);
}

TEST_F(Lanes, WhatCannotBeLearnedCostsNothingElse) {
  std::ofstream(temporary_.path() + "/prior.json") << "half a prio";
  for (const char* const script : {kLearns, "[ \"$1\" = learn ] && exit 3\nfinish"}) {
    std::filesystem::remove_all(folder_.path());
    std::filesystem::remove(temporary_.path() + "/words");
    folder_.Make();
    Script(script);
    testing::internal::CaptureStderr();
    const LaneTotals totals = Run(7, {std::nullopt});
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(totals.done, 7U);
    EXPECT_THAT(totals.failures, IsEmpty());
    EXPECT_THAT(said, HasSubstr("no prior was learned of 4 shapes that have ended ("));
    const std::vector<std::string> words = Lines(Words());
    EXPECT_THAT(words, SizeIs(8));  // It was tried once.
    for (const std::string& line : words) EXPECT_THAT(line, Not(HasSubstr("--prior")));
    EXPECT_TRUE(std::filesystem::is_empty(folder_.priors()));
  }
}

TEST_F(Lanes, WhatIsSaidOfPriorsAndCachesIsDone) {
  std::ofstream(temporary_.path() + "/prior.json") << PriorText(SomePrior(1));
  Script(kLearns);
  options_.words = {"--prior=auto", "--cache=elsewhere"};
  std::vector<TuneShape> all;
  for (int n = 1; n <= 5; ++n) all.push_back(Shape(n));
  const ShapeRunner runner{
      folder_, options_, {"/bin/sh", temporary_.path() + "/search.sh"}, &stop_};
  EXPECT_EQ(RunLanes({runner, all, "local", {std::nullopt}, "cpu", true, false}).done, 5U);
  const std::vector<std::string> words = Lines(Words());
  ASSERT_THAT(words, SizeIs(5));
  EXPECT_THAT(words[4], AllOf(HasSubstr("--prior=auto"), Not(HasSubstr(folder_.priors())),
                              HasSubstr("--cache=elsewhere"), Not(HasSubstr(folder_.cache()))));
}

TEST_F(Lanes, ARunThatGoesOnKeepsItsPriorAndTheCache) {
  Script(kLearns);
  std::filesystem::create_directories(folder_.priors());
  std::ofstream(folder_.priors() + "/axpy-cpu.4.json") << PriorText(SomePrior(1));
  std::ofstream(folder_.priors() + "/axpy-cpu.8.json") << PriorText(SomePrior(2));
  EXPECT_EQ(PriorCalled(folder_, PriorName(SomePrior(2))), folder_.priors() + "/axpy-cpu.8.json");
  EXPECT_EQ(PriorCalled(folder_, PriorName(SomePrior(3))), "");
  EXPECT_EQ(PriorCalled(folder_, ""), "");
  std::filesystem::create_directories(folder_.RunOf(Shape(1)));
  Log("/fleet/axpy-n1/log.jsonl", /*has_end=*/false, PriorName(SomePrior(1)));
  EXPECT_EQ(Run(1, {std::nullopt}).done, 1U);
  EXPECT_THAT(Words(), AllOf(HasSubstr("--prior=" + folder_.priors() + "/axpy-cpu.4.json"),
                             HasSubstr("--cache=" + folder_.cache())));
}

TEST_F(Lanes, AnInterruptedShapeGoesOnWithWhatIsLeft) {
  Script("finish");
  std::filesystem::create_directories(folder_.RunOf(Shape(1)));
  Log("/fleet/axpy-n1/log.jsonl", /*has_end=*/false);
  EXPECT_EQ(PhaseOf(1), ShapePhase::kWaiting);
  EXPECT_EQ(Run(1, {std::nullopt}).done, 1U);
  EXPECT_THAT(Words(),
              AllOf(HasSubstr("--resume=" + folder_.RunOf(Shape(1))), HasSubstr("--budget=40.000s"),
                    Not(HasSubstr("--device")), Not(HasSubstr("--out"))));
}

TEST_F(Lanes, WhatIsKilledGoesOn) {
  std::filesystem::create_directories(folder_.RunOf(Shape(1)));
  Log("/begun.jsonl", /*has_end=*/false);
  Script(
      "case $* in *--resume=*) finish ;; esac; cp \"$here/begun.jsonl\" \"$out/log.jsonl\"; kill "
      "-9 $$");
  const LaneTotals totals = Run(1, {std::nullopt});
  EXPECT_EQ(totals.done, 1U);
  EXPECT_THAT(totals.failures, IsEmpty());
  EXPECT_THAT(Words(), AllOf(HasSubstr("--out=" + folder_.RunOf(Shape(1))),
                             HasSubstr("--resume=" + folder_.RunOf(Shape(1)))));
}

TEST_F(Lanes, WhatIsKilledManyTimesGoesOnAsLongAsItFindsOutMore) {
  for (int n = 1; n <= 5; ++n) Vain(fmt::format("/begun{}.jsonl", 10 * n), 10 * n, "");
  Script(
      "times=$(wc -l < \"$here/words\"); [ $times -gt 5 ] && finish\n"
      "mkdir -p \"$out\"; cp \"$here/begun${times}0.jsonl\" \"$out/log.jsonl\"; kill -9 $$");
  const LaneTotals totals = Run(1, {std::nullopt});
  EXPECT_EQ(totals.done, 1U);
  EXPECT_THAT(totals.failures, IsEmpty());
}

TEST_F(Lanes, WhatFoundNothingInAllItsEvaluationsGetsAsManyAgain) {
  options_.budgets = {"60s", "evals=12"};
  std::filesystem::create_directories(folder_.RunOf(Shape(1)));
  Vain("/fleet/axpy-n1/log.jsonl", 12, "budget:evals");
  EXPECT_EQ(PhaseOf(1), ShapePhase::kFailed);
  Script("finish");
  EXPECT_EQ(Run(1, {std::nullopt}).done, 1U);
  EXPECT_THAT(Words(), AllOf(HasSubstr("--budget=60.000s"), HasSubstr("--budget=evals=24")));
}

TEST_F(Lanes, WhatIsKilledAgainAndAgainCostsItsShapeAlone) {
  Script("case $out in *n1) kill -9 $$ ;; *n2) kill -SEGV $$ ;; esac; finish");
  const LaneTotals totals = Run(3, {std::nullopt});
  EXPECT_EQ(totals.done, 1U);
  ASSERT_THAT(totals.failures, SizeIs(2));
  EXPECT_EQ(totals.failures[0],
            "axpy-n1: it was ended by signal 9 (SIGKILL: Killed), 3 times in a row with nothing "
            "new in between");
  // A search that dies of its own mistakes would do so again.
  EXPECT_THAT(totals.failures[1], HasSubstr("axpy-n2: it was ended by signal 11"));
  const std::string words = Words();
  EXPECT_EQ(std::ranges::count(words, '\n'), 3 + 1 + 1);
}

TEST_F(Lanes, WhatIsStoppedIsNoFailure) {
  Script("echo >> \"$here/begun\"; sleep 600");
  stop_.StopIn(0.5);
  const LaneTotals totals = Run(2, {std::nullopt});
  EXPECT_EQ(totals.done, 0U);
  EXPECT_EQ(totals.waiting, 2U);
  EXPECT_THAT(totals.failures, IsEmpty());
  EXPECT_EQ(PhaseOf(1), ShapePhase::kWaiting);
}

}  // namespace
}  // namespace exh::search
