// SPDX-License-Identifier: MIT
//
// `search functional search`: how the maps of a program run is searched. `run`: one mapping.
// `emit`: its text. `replay` is `search replay`.
#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/spelling.h"
#include "base/system/signals.h"
#include "base/system/user_file.h"
#include "functional/lift/judge.h"
#include "kernels/devices/device.h"
#include "search/commands/functional/functional.h"
#include "search/commands/search_options.h"
#include "search/commands/session.h"
#include "search/functional/functional_subject.h"
#include "search/functional/program_workload.h"
#include "search/measure/possible.h"
#include "search/solve/example_space.h"
#include "search/solve/functional_file.h"

namespace exh::search {
namespace {

struct ProgramOptions {
  ProgramOptions() { search.problem.device.clear(); }

  SearchOptions search;  ///< Without a device: kDefaultDevice.
  std::string file, size, mapping, memory;
  std::vector<std::string> dropped;
  bool strict = false, through_fused = false, whole_nest = false;
};

lift::Rules RulesOf(const ProgramOptions& options) {
  lift::Rules rules;
  rules.strict = options.strict;
  rules.through_fused = options.through_fused;
  rules.whole_nest = options.whole_nest;
  std::vector<std::string> names;
  for (const lift::LiftRule& rule : lift::kRules) names.emplace_back(rule.name);
  for (const std::string& name : options.dropped) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw UsageError(UnknownName("rule", name, names));
    rules.*lift::kRules[static_cast<std::size_t>(found - names.begin())].holds = false;
  }
  return rules;
}

constexpr const char* kDefaultDevice = "cuda";

std::unique_ptr<FunctionalSubject> SubjectOf(const ProgramOptions& options,
                                             const StopToken* stop = nullptr) {
  if (options.file.empty()) throw UsageError("which program? search functional search FILE.fun");
  ProblemOptions problem = options.search.problem;
  if (problem.device.empty()) problem.device = kDefaultDevice;
  return std::make_unique<FunctionalSubject>(ReadUserFile(options.file), GivenOf(options.size),
                                             RulesOf(options), FindDevice(problem),
                                             Allowance{MemoryFor(options.memory), stop});
}

int Search(const CLI::App& app, const ProgramOptions& options, const Invocation& invocation) {
  CheckRunOptions(options.search);
  if (!options.search.resume.empty()) {
    SearchOptions resumed = options.search;
    resumed.problem.memory = options.memory;
    return ResumeAnyRun(app, resumed, invocation);
  }
  const std::atomic<bool>& interrupted = ListenForSignals();
  Budget budget(options.search, interrupted);
  return WithinBudget(options.search, [&] {
    return BeginRun(*SubjectOf(options, &budget.stop), options.search, invocation, budget);
  });
}

int Measured(const Subject& subject, const kernels::Source& source) {
  const auto evaluator = subject.MakeEvaluator({.jobs = NumCores()});
  // Of all implementations the same one holds.
  const kernels::Measurement measured =
      MeasurePossible(*evaluator, evaluator->Compile(source),
                      subject.Bound(false, WhichRates::kOfThisMachine).bound(subject.root()));
  const bool is_right = measured.verdict == kernels::Verdict::kCorrect;
  fmt::print("{}\n", is_right ? "correct, " + FormatTime(measured.best_ns)
                              : fmt::format("{}: {}", kernels::VerdictName(measured.verdict),
                                            measured.why));
  return is_right ? 0 : 1;
}

/// The mapping of the command line, or of the program; what neither says is in sequence.
functional::Codes MappingOf(const ProgramOptions& options, const MappedProgram& mapped,
                            const lift::TreeFile& tree) {
  if (!options.mapping.empty()) return ParseMapping(options.mapping, tree);
  return functional::CodesOf(mapped.program())[0];
}

/// What the rules say against it; nothing: it is valid.
std::string Objections(const FunctionalSubject& subject, const functional::Codes& codes) {
  lift::Mapping mapping;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    mapping.codes.emplace_back(i, std::vector{static_cast<std::uint32_t>(std::max(0, codes[i]))});
  }
  const lift::Judgement verdict = Judge(subject.tree().maps, subject.rules(), mapping);
  return verdict.candidate ? "" : fmt::format("{}", fmt::join(verdict.requirements, ", "));
}

kernels::Source SourceOfMapping(const MappedProgram& mapped, const functional::Assignment& values,
                                const functional::Codes& codes,
                                const functional::ProgramLimits& limits) {
  try {
    return SourceOf(mapped, values, {codes}, limits);
  } catch (const functional::Unlowerable& why) {
    throw UsageError(fmt::format("this mapping cannot be run: {}", why.what()));
  }
}

int Run(const ProgramOptions& options) {
  const auto subject = SubjectOf(options);
  const functional::Assignment values = subject->mapped().Values();
  const functional::Codes codes = MappingOf(options, subject->mapped(), subject->tree());
  const std::string objections = Objections(*subject, codes);
  if (!objections.empty()) fmt::print("refused by {}; run all the same\n", objections);
  return Measured(*subject,
                  SourceOfMapping(subject->mapped(), values, codes, LimitsOf(*subject->device())));
}

/// Of the device that was named; of none, what this machine's GPU has, or else what every one does.
functional::ProgramLimits LimitsFor(const ProgramOptions& options) {
  const std::string& name = options.search.problem.device;
  if (!name.empty()) return LimitsOf(FindDevice(options.search.problem));
  const kernels::DeviceResult here =
      kernels::LoadDevice(kDefaultDevice, {}, options.search.problem.gpu.value_or(0));
  return here.device ? LimitsOf(*here.device) : functional::ProgramLimits();
}

/// Needs no GPU: it is text.
int Emit(const ProgramOptions& options) {
  if (options.file.empty()) throw UsageError("which program? search functional emit FILE.fun");
  const MappedProgram mapped("the program", ReadUserFile(options.file), GivenOf(options.size));
  const lift::TreeFile tree = mapped.Tree();
  fmt::print("{}", SourceOfMapping(mapped, mapped.Values(), MappingOf(options, mapped, tree),
                                   LimitsFor(options))
                       .text);
  return 0;
}

void AddProgramOptions(CLI::App& command, ProgramOptions& options) {
  command.add_option("file", options.file, "the program");
  command.add_option("--size", options.size, "its sizes, limits and parameters: n=8,v=4");
  command.add_option("--drop", options.dropped, "a rule of docs/lift.md that does not hold");
  command.add_flag("--strict", options.strict, "local memory always has a group around it");
  command.add_flag("--through-fused", options.through_fused,
                   "the rule of fusion looks through maps that are fused");
  command.add_flag("--whole-nest", options.whole_nest,
                   "the rule of fusion is of every map of a perfect nest, as published");
  command.add_option("--device", options.search.problem.device, "a GPU: cuda (default), h200");
  command.add_option("--gpu", options.search.problem.gpu, "which GPU (default 0)");
  AddMemoryOption(command, options.memory, kForReferences);
}

}  // namespace

namespace {

/// Runs a command. Who misses a GPU is told of the cpu, where kernels run; these programs do not.
int OnGpu(const std::function<int()>& run) {
  constexpr std::string_view kOfKernels = "--device cpu runs without a GPU";
  const auto told = [&](std::string text) -> std::optional<std::string> {
    const std::size_t at = text.find(kOfKernels);
    if (at == std::string::npos) return std::nullopt;
    return text.replace(at, kOfKernels.size(), "search functional emit needs none");
  };
  try {
    return run();
  } catch (const UsageError& error) {
    if (const auto text = told(error.what())) throw UsageError(*text);
    throw;
  } catch (const Error& error) {
    if (const auto text = told(error.what())) throw Error(*text);
    throw;
  }
}

}  // namespace

void AddFunctionalSearch(CLI::App& command, Invocation& invocation) {
  CLI::App* const search =
      command.add_subcommand("search", "how the maps of a program run fastest on a GPU");
  const auto options = std::make_shared<ProgramOptions>();
  AddProgramOptions(*search, *options);
  search->add_option("--resume", options->search.resume, "go on with a run: its folder");
  AddRunOptions(*search, options->search);
  search->callback([search, options, &invocation] {
    invocation.run = [search, options, &invocation] {
      return OnGpu([&] { return Search(*search, *options, invocation); });
    };
  });
  const auto add_one = [&](const char* name, const char* what, int (*run)(const ProgramOptions&)) {
    CLI::App* const one = command.add_subcommand(name, what);
    const auto mapped = std::make_shared<ProgramOptions>();
    AddProgramOptions(*one, *mapped);
    one->add_option("--mapping", mapped->mapping,
                    "codes of maps by their names, A=20,B=10 (default: what the program says)");
    one->callback([mapped, run, &invocation] {
      invocation.run = [mapped, run] { return OnGpu([&] { return run(*mapped); }); };
    });
  };
  add_one("run", "one mapping, checked and timed on a GPU", Run);
  add_one("emit", "one mapping as CUDA C++", Emit);
  AddReplayCommand(command, invocation);
}

}  // namespace exh::search
