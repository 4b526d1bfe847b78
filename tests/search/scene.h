// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "search/log/log_reader.h"
#include "search/run/explorer.h"
#include "search/tree/tree_replay.h"
#include "tests/search/fake_evaluator.h"
#include "tests/search/temp_folder.h"
#include "tests/search/toy_space.h"

namespace exh::search {

/// A lower bound of FakeEvaluator::TimeOf(): what is open takes its fastest value.
inline double ToyBound(const runtime::Candidate& candidate) {
  const runtime::Instance& instance = candidate.instance();
  double ns = 1000;
  const auto size = instance.first_decision(instance.FindChoice("size"));
  for (runtime::DecisionId item = size; item < size + 3; ++item) {
    if ((candidate.domain(item) & 4) != 0) ns -= 200;
  }
  const auto color = instance.first_decision(instance.FindChoice("color"));
  if ((candidate.domain(color) & kRed) != 0) ns -= 100;
  return ns;
}

/// A search of the toy space, or of another one, with a fake evaluator and a clock that ticks at
/// every look.
struct Scene {
  FakeEvaluator evaluator;
  AnyStopper stopper;
  ExplorerOptions options;
  std::function<runtime::Candidate()> root = ToyRoot;
  std::string order = "mode,color";
  double now = 0;
  TempFolder folder;

  Clock clock() {
    return [this] { return now += 0.001; };
  }
  Outcome Go() {
    EventLog log(folder / "log.jsonl");
    log.Write(RunRecord{});
    for (const ChoiceRecord& choice : ChoiceRecords(root().instance())) log.Write(choice);
    return Explore(log, nullptr);
  }
  /// Goes on with the log in the folder, and writes the end of the run.
  Outcome Resume() {
    EventLog file = EventLog::Reopen(folder / "log.jsonl");
    const Log earlier = log();
    Outcome outcome = Explore(file, &earlier);
    file.Write(outcome.end);
    return outcome;
  }
  Outcome Explore(EventLog& file, const Log* earlier) {
    const runtime::Candidate top = root();
    const ChoiceOrder choices = ChoiceOrder::Parse(order, top.instance());
    std::FILE* const nowhere = std::fopen("/dev/null", "w");
    ProgressReporter progress(ProgressMode::kPlain, nowhere);
    Explorer explorer(top, choices, evaluator, stopper, file, progress, clock(), options);
    if (earlier != nullptr) {
      explorer.Restore(*earlier);
      file.Keep(earlier->tail);
      file.Write(ResumeRecord{.dt = earlier->last_dt});
    }
    Outcome outcome = explorer.Run();
    std::fclose(nowhere);
    return outcome;
  }
  void Budget(const std::string& text) { stopper.Add(ParseBudget(text, clock())); }
  Log log() { return ReadLog(folder.path()); }
  /// Digest of the tree of the log, made again.
  std::string ReplayedDigest() {
    const runtime::Candidate top = root();
    const ChoiceOrder choices = ChoiceOrder::Parse(order, top.instance());
    const CandidateSpace space(top, choices, options.proposer.bound);
    Tree tree(space, options.tree);
    ReplayTree(log(), tree);
    return tree.Digest();
  }
};

}  // namespace exh::search
