// SPDX-License-Identifier: MIT
//
// `search replay-run`: the search tree of a run, made again from its log. Nothing is compiled or
// measured.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "base/numbers.h"
#include "search/commands/command.h"
#include "search/descend/choice_order.h"
#include "search/log/log_reader.h"
#include "search/log/log_text.h"
#include "search/log/replay.h"
#include "search/subject/registry.h"
#include "search/tree/tree_replay.h"

namespace exh::search {
namespace {

struct ReplayRunOptions {
  std::string run;
  bool text = false;
};

/// Says whether it is the tree with which the run ended. Returns the exit code.
int CompareWithEnd(const Log& log, const std::string& digest) {
  if (!log.repairs.empty() && !log.repairs.back().lost.empty()) {
    fmt::print("lines of the log were lost: it is a tree of what is left\n");
    return 0;
  }
  if (!log.end || log.end->tree.empty()) {
    fmt::print("the run did not end by itself: this is its tree at the last complete line\n");
    return 0;
  }
  if (log.end->tree == digest) {
    fmt::print("the same tree as at the end of the run\n");
    return 0;
  }
  fmt::print(stderr, "search: the run ended with another tree, {}\n", log.end->tree);
  return 1;
}

int ReplayRun(const ReplayRunOptions& options) {
  if (options.run.empty()) throw UsageError("replay which run? search replay-run RUN");
  const Log log = ReadLogAloud(options.run);
  if (log.run->policy == "random") {
    throw UsageError(fmt::format("'{}' was searched without a tree", options.run));
  }
  const std::unique_ptr<Subject> subject = SubjectOf(*log.run);
  const runtime::Candidate root = subject->root();
  CheckSameSpace(log, options.run, root.instance());
  const ChoiceOrder order =
      ChoiceOrder::Parse(fmt::format("{}", fmt::join(log.run->order, ",")), root.instance());
  const SearchBound bound = BoundOf(*subject, *log.run);
  const CandidateSpace space(root, order, bound.bound);
  Tree tree(space, TreeOptionsOf(*log.run));
  ReplayTree(log, tree);
  if (options.text) {
    const auto decision = [&](int number) { return DecisionName(log, number); };
    const auto value = [&](const PathStep& step) { return ValueName(log, step); };
    fmt::print("{}", tree.Text({decision, value}));
  }
  const std::string digest = tree.Digest();
  fmt::print("{} selections, {} evaluations: {} nodes, tree {}{}\n", log.selects.size(),
             log.evals.size(), tree.num_nodes(), digest, tree.exhausted() ? ", exhausted" : "");
  const int code = CompareWithEnd(log, digest);
  return log.problems.empty() ? code : 1;
}

}  // namespace

void AddReplayRunCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "replay-run", "make the search tree of a run again from its log; measures nothing");
  const auto options = std::make_shared<ReplayRunOptions>();
  command->add_option("run", options->run, "folder or log of a run");
  command->add_flag("--text", options->text, "print all nodes, by name");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return ReplayRun(*options); }; });
}

}  // namespace exh::search
