// SPDX-License-Identifier: MIT
#include "search/fleet/fleet_evaluator.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "search/fleet/message_lines.h"
#include "search/fleet/pilot_link.h"
#include "search/fleet/pilot_protocol.h"
#include "search/run/explorer.h"
#include "tests/search/temp_folder.h"
#include "tests/search/toy_subject.h"
#include "tests/support/tree.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(MessageLines, ArriveAsTheyWereWhateverTheirLength) {
  for (const std::size_t length : {1u, 990u, 997u, 998u, 999u, 1994u, 1995u, 100'000u}) {
    const std::string message = "{" + std::string(length, 'x');
    const std::string lines = LinesOf(message) + LinesOf("{}");
    std::size_t begin = 0;
    for (std::size_t end; (end = lines.find('\n', begin)) != std::string::npos; begin = end + 1) {
      EXPECT_LT(end + 1 - begin, kMostLineBytes + 1);
    }
    MessageReader reader;
    std::vector<std::string> messages;
    for (const char byte : lines) {
      reader.Add({&byte, 1});
      while (auto one = reader.Next()) messages.push_back(*one);
    }
    EXPECT_EQ(messages, (std::vector<std::string>{message, "{}"})) << length;
    EXPECT_EQ(reader.problem(), "");
  }
}

TEST(MessageLines, WhatCannotBeAMessageIsSaid) {
  MessageReader endless;
  endless.Add(std::string(2000, 'x'));
  EXPECT_FALSE(endless.Next());
  EXPECT_THAT(endless.problem(), HasSubstr("more than 1000 bytes"));
  MessageReader half;
  half.Add("+{\"a\n{}\n");
  EXPECT_FALSE(half.Next());
  EXPECT_THAT(half.problem(), HasSubstr("not complete"));
}

TEST(PilotLink, WhatItStartedIsToldThatItIsOverAndEndsByItself) {
  // As srun does, which has to tell a process on another machine.
  const TempFolder folder;
  {
    const PilotLink link(
        fmt::format("while read line; do :; done; sleep 0.3; touch {}/told", folder.path()),
        BeatMessage(), 30, [](const std::string&) { return true; },
        [](const std::string&, bool) {});
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "told"));
}

TEST(PilotLink, SaysNowAndThenThatTheSearchIsAlive) {
  const TempFolder folder;
  const std::string said = folder / "said";
  const PilotLink link(
      fmt::format("echo '{{\"beat\":1}}'; read line; echo \"$line\" > {0}.new; mv {0}.new {0}",
                  said),
      BeatMessage(), 30, [](const std::string&) { return true; }, [](const std::string&, bool) {});
  for (int i = 0; i < 600 && !std::filesystem::exists(said); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  std::string line;
  std::getline(std::ifstream(said) >> std::ws, line);
  EXPECT_EQ(line, BeatMessage());
}

TEST(PilotProtocol, WhatIsAskedAndSaidArrives) {
  PilotTask task;
  task.id = 7;
  task.mode = PilotMode::kAgain;
  task.path = {{3, 1}, {0, 64}};
  task.hash = "00ff";
  task.code = "abcd";
  task.cap = {2.5, 1.25};
  const auto asked = ParseAsked(ToMessage(task));
  ASSERT_TRUE(asked && asked->task);
  EXPECT_EQ(asked->task->id, 7u);
  EXPECT_EQ(asked->task->mode, PilotMode::kAgain);
  EXPECT_EQ(asked->task->path, task.path);
  EXPECT_EQ(asked->task->hash, "00ff");
  EXPECT_EQ(asked->task->cap.best_ns, 1.25);
  EXPECT_EQ(ProgramOf(ProgramText(task)).path, task.path);
  PilotAnswer answer;
  answer.id = 7;
  answer.measurement = Correct(12.5);
  answer.measurement.clocks_mhz = {1980};
  answer.registers = 40;
  const auto said = ParseSaid(ToMessage(answer));
  ASSERT_TRUE(said && said->answer);
  EXPECT_EQ(said->answer->measurement.best_ns, 12.5);
  EXPECT_EQ(said->answer->measurement.runtimes_ns, answer.measurement.runtimes_ns);
  EXPECT_EQ(said->answer->measurement.max_error_ratio, 0.5);
  EXPECT_EQ(said->answer->registers, 40);
  PilotAnswer list;  // Of yardsticks: nothing was measured.
  list.measurement.verdict = Verdict::kCorrect;
  list.yardsticks = {{"naive", 0}, {"eigen", 64}};
  const auto listed = ParseSaid(ToMessage(list));
  ASSERT_TRUE(listed && listed->answer);
  ASSERT_THAT(listed->answer->yardsticks, SizeIs(2));
  EXPECT_EQ(listed->answer->yardsticks[1].workspace_bytes, 64u);
  for (const char* const wrong : {"", "[]", "{", "{\"id\":\"x\"}", "{\"id\":1}", "hello",
                                  "{\"id\":1,\"verdict\":\"splendid\"}"}) {
    EXPECT_FALSE(ParseSaid(wrong)) << wrong;
  }
}

/// A search of the toy space by pilots that do what fake_pilot.py says.
struct FleetRun {
  Outcome outcome;
  Log log;
  std::map<std::string, int> counts;  ///< Of correct ones, by lane.
};

FleetRun Search(const std::vector<std::string>& modes, int evals = 60) {
  const ToySubject subject;
  WorkerOptions options;
  for (const std::string& mode : modes) {
    options.commands.push_back("exec python3 -B " + std::string(kSourceDir) +
                               "/tests/search/fake_pilot.py " + mode);
  }
  options.silence_s = 3;
  StopToken stop;
  options.stop = &stop;
  const auto evaluator = MakeFleetEvaluator(subject, options);
  const TempFolder folder;
  const runtime::Candidate root = subject.root();
  const ChoiceOrder order = subject.order("", root);
  AnyStopper stopper;
  stopper.Add(ParseBudget(fmt::format("evals={}", evals), SteadyClock()));
  stopper.Add(ParseBudget("60s", SteadyClock()));
  ExplorerOptions explorer_options;
  explorer_options.jobs = 4;
  explorer_options.policy = MakePolicy("tag", {});
  explorer_options.stop = &stop;
  std::FILE* const nowhere = std::fopen("/dev/null", "w");
  ProgressReporter progress(ProgressMode::kPlain, nowhere);
  FleetRun run;
  {
    EventLog log(folder / "log.jsonl");
    log.Write(RunRecord{});
    for (const ChoiceRecord& choice : ChoiceRecords(root.instance())) log.Write(choice);
    Explorer explorer(root, order, *evaluator, stopper, log, progress, SteadyClock(),
                      explorer_options);
    run.outcome = explorer.Run();
    log.Write(run.outcome.end);
  }
  std::fclose(nowhere);
  run.log = ReadLog(folder.path());
  for (const EvalRecord& eval : run.log.evals) {
    if (eval.verdict == Verdict::kCorrect) ++run.counts[eval.lane];
  }
  return run;
}

void ExpectWhole(const FleetRun& run, std::uint64_t evals = 60) {
  EXPECT_EQ(run.outcome.end.why, "budget:evals");
  EXPECT_THAT(run.log.problems, IsEmpty());
  ASSERT_THAT(run.log.evals, SizeIs(evals));
  for (const EvalRecord& eval : run.log.evals) {
    EXPECT_THAT(eval.verdict, AnyOf(Verdict::kCorrect, Verdict::kCrash)) << eval.why;
  }
  EXPECT_TRUE(run.log.end.has_value());
}

TEST(Fleet, PilotsMeasureAndEachEvaluationSaysWhich) {
  const FleetRun run = Search({"slow", "slow", "slow"}, 200);
  ExpectWhole(run, 200);
  EXPECT_THAT(run.counts, SizeIs(3));
  for (const EvalRecord& eval : run.log.evals) {
    const double ns = 100 + std::stoi(eval.code.substr(0, 4), nullptr, 16) / 100.0;
    EXPECT_EQ(eval.best_ns, ns);
    EXPECT_EQ(eval.compile_ms, 1);
  }
}

TEST(Fleet, OneThatLosesItsMindIsGivenUpAndTheRunGoesOn) {
  for (const std::string mode : {"garbage 7", "gigabyte 7", "half 7", "silent 7"}) {
    const FleetRun run = Search({"", mode});
    ExpectWhole(run);
    EXPECT_EQ(run.outcome.end.verdicts.count("crash"), 0u) << mode;
    EXPECT_LT(run.counts.count("pilot 2") > 0 ? run.counts.at("pilot 2") : 0, 40) << mode;
  }
}

TEST(Fleet, OneThatDiesIsStartedAgain) {
  const FleetRun run = Search({"", "dies 9"});
  ExpectWhole(run);
  EXPECT_GT(run.counts.at("pilot 1"), 20);
}

TEST(Fleet, SecondAndLateAnswersAreDropped) {
  const FleetRun run = Search({"twice", "late"});
  ExpectWhole(run);
  EXPECT_EQ(run.outcome.end.verdicts.at("correct"), 60u);
}

TEST(Fleet, WhatTwoOfThemDieOfIsACrash) {
  const FleetRun run = Search({"hates 7", "hates 7", "hates 7", "hates 7"}, 40);
  ExpectWhole(run, 40);
  for (const EvalRecord& eval : run.log.evals) {
    EXPECT_EQ(eval.verdict == Verdict::kCrash, eval.code.starts_with("7")) << eval.code;
  }
}

TEST(Fleet, AnotherProgramDeviceDriverOrRatesIsRefused) {
  for (const std::string mode : {"stamp", "device", "driver", "rates"}) {
    const FleetRun run = Search({"", mode}, 30);
    ExpectWhole(run, 30);
    EXPECT_EQ(run.counts.count("pilot 2"), 0u) << mode;
  }
}

TEST(Fleet, WhoIsWaitedForIsSaidWithItsLastWords) {
  const ToySubject subject;
  StopToken stop;
  std::vector<std::string> notes;
  WorkerOptions options;
  options.commands = {"echo queued and waiting for resources >&2; exec sleep 100"};
  options.silence_s = 1;
  options.stop = &stop;
  options.say = [&](const std::string& note) {
    notes.push_back(note);
    stop.Stop();
  };
  EXPECT_THROW(MakeFleetEvaluator(subject, options), Interrupted);
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_THAT(notes[0], HasSubstr("pilot 1 has said nothing for 1 s, and is waited for: echo"));
  EXPECT_THAT(notes[0], HasSubstr("(its last words: queued and waiting for resources)"));
}

TEST(Fleet, WhereNoneCanMeasureEachSaysWhy) {
  try {
    Search({"stamp", "rates"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("pilot 1"));
    EXPECT_THAT(error.what(), HasSubstr("on nowhere: it is another program"));
    EXPECT_THAT(error.what(), HasSubstr("its rates of the device are others (another, here none)"));
  }
  const ToySubject subject;
  EXPECT_THROW(MakeFleetEvaluator(subject, {.commands = {"no-such-program-anywhere"}}), Error);
}

}  // namespace
}  // namespace exh::search
