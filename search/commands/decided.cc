// SPDX-License-Identifier: MIT
#include "search/commands/decided.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/log/decisions.h"
#include "search/subject/decision_file.h"

namespace exh::search {

Decided DecidedInFile(const std::string& path, ProblemOptions options, std::uint64_t seed,
                      bool strict, std::FILE* notes) {
  const DecisionFile file = ReadDecisionFile(path);
  MergeHeader(file, options);
  Problem problem = MakeProblem(options);
  runtime::Candidate candidate = problem.root();
  for (const auto& line : ApplyDecisions(file, candidate)) {
    fmt::print(notes, "{}:{}: note: {} takes no part\n", path, line.number, line.text);
  }
  const ChoiceOrder order = ChoiceOrder::Default(candidate.instance());
  if (const auto open = order.Next(candidate); open && strict) {
    throw UsageError(fmt::format("{}: not every decision is taken: {} is open", path,
                                 candidate.instance().DecisionName(*open)));
  }
  Random random(seed);
  const Path random_steps = CompleteByDescent(order, random, candidate);
  fmt::print(notes, "{}: {} decisions as written, {} taken at random (seed {})\n", path,
             file.decisions.size(), random_steps.size(), seed);
  std::vector<std::string> taken;
  for (const DecisionFile::Line& line : file.decisions) taken.push_back(line.text);
  for (const PathStep& step : random_steps) {
    taken.push_back(StepText(candidate.instance(), step));
  }
  return {std::move(problem), std::move(candidate), std::move(taken)};
}

void RefuseForRuns(const CLI::App& command, const std::string& run,
                   std::initializer_list<const char*> others) {
  std::vector<const char*> decided = {"--kernel", "--size",        "--device",       "--space",
                                      "--set",    "--max-threads", "--deterministic"};
  decided.insert(decided.end(), others);
  for (const char* option : decided) {
    if (command.count(option) == 0) continue;
    throw UsageError(fmt::format(
        "{} means nothing for '{}': a record of a run says all of that itself; emit it with "
        "search emit --decisions to replay it in another way",
        option, run));
  }
}

}  // namespace exh::search
