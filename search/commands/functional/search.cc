// SPDX-License-Identifier: MIT
//
// `search functional search`: how the maps of a program run is searched. `run`: one mapping.
// `emit`: its text. `replay`: what a run found, again.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/spelling.h"
#include "base/system/signals.h"
#include "examples/lift/judge.h"
#include "search/commands/functional/functional.h"
#include "search/commands/replay_source.h"
#include "search/commands/search_options.h"
#include "search/commands/session.h"
#include "search/functional/functional_subject.h"
#include "search/functional/program_evaluator.h"
#include "search/solve/example_space.h"
#include "search/solve/functional_file.h"

namespace exh::search {
namespace {

struct ProgramOptions {
  SearchOptions search;
  std::string file, size, mapping, memory;
  std::vector<std::string> dropped;
  bool strict = false, through_fused = false;
};

lift::Rules RulesOf(const ProgramOptions& options) {
  lift::Rules rules;
  rules.strict = options.strict;
  rules.through_fused = options.through_fused;
  std::vector<std::string> names;
  for (const lift::Rule& rule : lift::kRules) names.emplace_back(rule.name);
  for (const std::string& name : options.dropped) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw UsageError(UnknownName("rule", name, names));
    rules.*lift::kRules[static_cast<std::size_t>(found - names.begin())].holds = false;
  }
  return rules;
}

std::unique_ptr<FunctionalSubject> SubjectOf(const ProgramOptions& options,
                                             const StopToken* stop = nullptr) {
  if (options.file.empty()) throw UsageError("which program? search functional search FILE.fun");
  return std::make_unique<FunctionalSubject>(TextAt(options.file), GivenOf(options.size),
                                             RulesOf(options), FindDevice(options.search.problem),
                                             Allowance{MemoryFor(options.memory), stop});
}

int Search(const ProgramOptions& options, const Invocation& invocation) {
  CheckRunOptions(options.search);
  const std::atomic<bool>& interrupted = ListenForSignals();
  if (options.search.resume.empty()) {
    Budget budget(options.search, interrupted);
    return WithinBudget([&] {
      return BeginRun(*SubjectOf(options, &budget.stop), options.search, invocation, budget);
    });
  }
  const auto run = OpenEarlierRun(options.search);
  Budget budget(options.search, interrupted);
  const Allowance allowance{MemoryFor(options.memory), &budget.stop};
  return WithinBudget([&] {
    return ResumeRun(*FunctionalSubject::Of(*run->earlier.run, allowance), options.search,
                     invocation, budget, run->log, run->earlier);
  });
}

int Measured(const Subject& subject, const kernels::Source& source) {
  const auto evaluator = subject.MakeEvaluator({.jobs = NumCores()});
  const kernels::Measurement measured =
      evaluator->Measure(evaluator->Compile(source), {}, kernels::Effort::kFinal);
  const bool is_right = measured.verdict == kernels::Verdict::kCorrect;
  fmt::print("{}\n", is_right ? "correct, " + FormatTime(measured.best_ns)
                              : fmt::format("{}: {}", kernels::VerdictName(measured.verdict),
                                            measured.why));
  return is_right ? 0 : 1;
}

/// The mapping of the command line, or of the program; what neither says is in sequence.
functional::Codes MappingOf(const ProgramOptions& options, const FunctionalSubject& subject) {
  if (!options.mapping.empty()) return ParseMapping(options.mapping, subject.tree());
  return functional::CodesOf(subject.mapped().program())[0];
}

/// What the rules say against it; nothing: it is valid.
std::string Objections(const FunctionalSubject& subject, const functional::Codes& codes) {
  lift::Mapping mapping;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    mapping.codes.emplace_back(i, std::vector{static_cast<std::uint32_t>(std::max(0, codes[i]))});
  }
  const lift::Verdict verdict = Judge(subject.tree().maps, subject.rules(), mapping);
  return verdict.candidate ? "" : fmt::format("{}", fmt::join(verdict.requirements, ", "));
}

kernels::Source SourceOfMapping(const FunctionalSubject& subject,
                                const functional::Assignment& values,
                                const functional::Codes& codes) {
  try {
    return SourceOf(subject.mapped(), values, {codes}, LimitsOf(subject.device()));
  } catch (const functional::Unlowerable& why) {
    throw UsageError(fmt::format("this mapping cannot be run: {}", why.what()));
  }
}

int Run(const ProgramOptions& options) {
  const auto subject = SubjectOf(options);
  const functional::Assignment values = subject->mapped().Values();
  const functional::Codes codes = MappingOf(options, *subject);
  const std::string objections = Objections(*subject, codes);
  if (!objections.empty()) fmt::print("refused by {}; run all the same\n", objections);
  return Measured(*subject, SourceOfMapping(*subject, values, codes));
}

int Emit(const ProgramOptions& options) {
  const auto subject = SubjectOf(options);
  const functional::Assignment values = subject->mapped().Values();
  fmt::print("{}", SourceOfMapping(*subject, values, MappingOf(options, *subject)).text);
  return 0;
}

struct ReplayOptions {
  std::string source, memory;
  std::optional<std::uint64_t> record;
};

int Replay(const ReplayOptions& options) {
  const ReplaySource source_of(options.source, options.record, "cuda");
  const auto subject = FunctionalSubject::Of(source_of.run(), {MemoryFor(options.memory)});
  runtime::Candidate candidate = subject->root();
  source_of.Decide(candidate);
  fmt::print("{}", subject->Outline(candidate));
  const functional::Assignment values = ValuesOf(subject->mapped().program(), candidate);
  return Measured(*subject, SourceOfMapping(*subject, values, CodesOf(candidate)));
}

void AddProgramOptions(CLI::App& command, ProgramOptions& options) {
  command.add_option("file", options.file, "the program");
  command.add_option("--size", options.size, "its sizes, limits and parameters: n=8,v=4");
  command.add_option("--drop", options.dropped, "a rule of docs/lift.md that does not hold");
  command.add_flag("--strict", options.strict, "local memory always has a group around it");
  command.add_flag("--through-fused", options.through_fused,
                   "the rule of fusion looks through maps that are fused");
  options.search.problem.device = "cuda";
  command.add_option("--device", options.search.problem.device, "a GPU: cuda (default), h200");
  command.add_option("--gpu", options.search.problem.gpu, "which GPU (default 0)");
  AddMemoryOption(command, options.memory, kForReferences);
}

}  // namespace

void AddFunctionalSearch(CLI::App& command, Invocation& invocation) {
  CLI::App* const search =
      command.add_subcommand("search", "how the maps of a program run fastest on a GPU");
  const auto options = std::make_shared<ProgramOptions>();
  AddProgramOptions(*search, *options);
  search->add_option("--resume", options->search.resume, "go on with a run: its folder");
  AddRunOptions(*search, options->search);
  search->callback([options, &invocation] {
    invocation.run = [options, &invocation] { return Search(*options, invocation); };
  });
  const auto add_one = [&](const char* name, const char* what, int (*run)(const ProgramOptions&)) {
    CLI::App* const one = command.add_subcommand(name, what);
    const auto mapped = std::make_shared<ProgramOptions>();
    AddProgramOptions(*one, *mapped);
    one->add_option("--mapping", mapped->mapping,
                    "codes of maps by their names, A=20,B=10 (default: what the program says)");
    one->callback(
        [mapped, run, &invocation] { invocation.run = [mapped, run] { return run(*mapped); }; });
  };
  add_one("run", "one mapping, checked and timed on a GPU", Run);
  add_one("emit", "one mapping as CUDA C++", Emit);
  CLI::App* const replay = command.add_subcommand(
      "replay", "compiles, checks and times an implementation of a run again");
  const auto replayed = std::make_shared<ReplayOptions>();
  replay->add_option("source", replayed->source, "a run, or a list of decisions in a file")
      ->required();
  replay->add_option("--record", replayed->record, "number of the record (default: the best)");
  AddMemoryOption(*replay, replayed->memory, kForReferences);
  replay->callback(
      [replayed, &invocation] { invocation.run = [replayed] { return Replay(*replayed); }; });
}

}  // namespace exh::search
