// SPDX-License-Identifier: MIT
//
// `search explain`: which decisions of a dead end cannot hold together, and why.
#include "search/subject/explain.h"

#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "runtime/explain.h"
#include "search/commands/command.h"

namespace exh::search {
namespace {

struct ExplainOptions {
  std::string file, order;
  bool random = false;
  std::uint64_t seed = 1;
  ProblemOptions problem;
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

int Explain(ExplainOptions options) {
  if (options.file.empty() == !options.random) {
    throw UsageError("explain what? search explain FILE, or --random-dead-end");
  }
  if (!options.random && IsRun(options.file)) {
    throw UsageError(fmt::format(
        "'{0}' is a run: explain takes a file with decisions that do not hold together, as `search "
        "replay` takes files, or --random-dead-end with a kernel; which requirements the descents "
        "of a run failed on, `search log show {0}` says",
        options.file));
  }
  std::optional<DecisionFile> file;
  if (!options.random) {
    file = ReadDecisionFile(options.file);
    MergeHeader(*file, options.problem);
  }
  if (options.problem.device.empty()) options.problem.device = "cpu";
  const Problem problem = MakeProblem(options.problem);
  const runtime::Candidate root = problem.root();
  if (file) {
    Print(root, FileActions(*file, root.instance()));
    return 0;
  }
  const ChoiceOrder order = ChoiceOrder::Parse(problem.order(options.order), root.instance());
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
  options->problem.device.clear();  // Nothing said: the file's header decides.
  command->add_option("file", options->file, "list of decisions, as `search replay` takes it");
  command->add_flag("--random-dead-end", options->random, "the first dead end of random descents");
  command->add_option("--seed", options->seed, "of the random descents (default 1)");
  command->add_option("--order", options->order, "choices in the order they are decided");
  AddProblemOptions(*command, options->problem);
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Explain(*options); }; });
}

}  // namespace exh::search
