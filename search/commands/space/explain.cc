// SPDX-License-Identifier: MIT
//
// `search explain`: which decisions of a dead end cannot hold together, and why.
#include "search/subject/explain.h"

#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "runtime/explain.h"
#include "search/commands/command.h"
#include "search/commands/decided.h"
#include "search/commands/space/asked_space.h"

namespace exh::search {
namespace {

struct ExplainOptions {
  std::string order;
  bool random = false;
  std::uint64_t seed = 1;
  AskedSpace asked;  ///< `run`: or a list of decisions.
};

void Print(const runtime::Candidate& root, const std::vector<runtime::Action>& actions) {
  const runtime::Instance& instance = root.instance();
  const auto explanation = ExplainDeadEnd(root.shared_instance(), actions);
  if (!explanation) {
    fmt::print("no dead end: the {} decisions can be applied together\n", actions.size());
    return;
  }
  fmt::print("{} of {} decisions lead to the dead end.\n{}", explanation->decisions.size(),
             actions.size(), ExplanationText(instance, *explanation));
}

int ExplainFile(const ExplainOptions& options) {
  const std::string& path = options.asked.run;
  if (path.empty()) throw UsageError("explain what? search explain FILE, or --random-dead-end");
  if (IsRun(path)) {
    throw UsageError(fmt::format(
        "'{0}' is a run: explain takes a file with decisions that do not hold together, as `search "
        "replay` takes files, or --random-dead-end with the run or a kernel; which requirements "
        "the descents of a run failed on, `search log show {0}` says",
        path));
  }
  const DecisionFile file = ReadDecisionFile(path);
  const runtime::Candidate root = SubjectOfFile(file, options.asked.problem)->root();
  Print(root, FileActions(file, root.instance()));
  return 0;
}

int Explain(const ExplainOptions& options) {
  if (!options.random) return ExplainFile(options);
  AskedSpace asked = options.asked;
  if (asked.run.empty() && asked.problem.device.empty()) asked.problem.device = "cpu";
  const std::unique_ptr<Subject> subject = SubjectAsked(asked);
  const runtime::Candidate root = subject->root();
  const ChoiceOrder order = subject->order(options.order, root);
  Random random(options.seed);
  const auto actions = RandomDeadEnd(root, order, random);
  if (!actions) {
    fmt::print("no descent met a dead end\n");
    return 0;
  }
  Print(root, *actions);
  return 0;
}

}  // namespace

void AddExplainCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "explain", "why decisions cannot hold together: from a file, or a random dead end");
  const auto options = std::make_shared<ExplainOptions>();
  options->asked.problem.device.clear();  // Nothing said: the file's header decides.
  command->add_flag("--random-dead-end", options->random, "the first dead end of random descents");
  command->add_option("--seed", options->seed, "of the random descents (default 1)");
  command->add_option("--order", options->order, "choices in the order they are decided");
  AddAskedSpace(*command, options->asked,
                "list of decisions, as `search replay` takes it; with "
                "--random-dead-end, folder of a run, or its log");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Explain(*options); }; });
}

}  // namespace exh::search
