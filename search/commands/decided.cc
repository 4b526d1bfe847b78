// SPDX-License-Identifier: MIT
#include "search/commands/decided.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/random.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/kernel/kernel_subject.h"
#include "search/log/decisions.h"
#include "search/log/log_text.h"
#include "search/log/replay.h"
#include "search/subject/registry.h"

namespace exh::search {

namespace {

using Numbers = std::map<std::string, std::int64_t, std::less<>>;

void Add(const std::optional<std::string>& text, const char* what, Numbers& numbers) {
  for (const auto& [name, value] : ParseAssignments(text.value_or(""), what)) {
    numbers[std::string(name)] = ParseInteger(value).value_or(0);
  }
}

}  // namespace

std::unique_ptr<Subject> SubjectOfFile(const DecisionFile& file, ProblemOptions options) {
  RunRecord run;
  run.subject = file.subject.value_or("");
  run.kernel = file.kernel.value_or("");
  run.text = file.text.value_or("");
  run.device = file.device.value_or(options.device);
  Add(file.sizes, "size:", run.sizes);
  Add(file.settings, "settings:", run.settings);
  BringUpToDate(run);
  const bool is_named = !options.kernel.empty() || !options.compute.empty();
  if (is_named || run.subject.empty()) {
    MergeHeader(file, options);
    return std::make_unique<KernelSubject>(MakeProblem(options));
  }
  return SubjectOf(run, {MemoryFor(options.memory), options.stop});
}

Decided DecidedInLog(const Log& log, const EvalRecord& eval, const RunRecord& run,
                     const Allowance& allowance) {
  std::unique_ptr<Subject> subject = SubjectOf(run, allowance);
  runtime::Candidate candidate = subject->root();
  ReplayRecord(log, eval, candidate);
  std::vector<std::string>
      taken;  // By name: the numbers of the log need not be those of this program.
  for (const PathStep& step : eval.path) {
    taken.push_back(StepText(candidate.instance(), LocalStep(log, step, candidate)));
  }
  return {std::move(subject), std::move(candidate), std::move(taken)};
}

Decided DecidedInFile(const std::string& path, ProblemOptions options, std::uint64_t seed,
                      bool strict, std::FILE* notes) {
  const DecisionFile file = ReadDecisionFile(path);
  std::unique_ptr<Subject> subject = SubjectOfFile(file, std::move(options));
  runtime::Candidate candidate = subject->root();
  for (const auto& line : ApplyDecisions(file, candidate, subject->notes())) {
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
  return {std::move(subject), std::move(candidate), std::move(taken)};
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
