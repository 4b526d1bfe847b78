// SPDX-License-Identifier: MIT
#include "search/commands/own.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/signals.h"
#include "base/system/user_file.h"
#include "search/commands/search_options.h"
#include "search/commands/session.h"
#include "search/own/own_subject.h"

namespace exh::search {
namespace {

DecidedValues::Sizes SizesOf(const std::string& text) {
  DecidedValues::Sizes sizes;
  for (const auto& [name, value] : ParseAssignments(text, "--size")) {
    const auto number = ParseInteger(value);
    if (!number) throw UsageError(fmt::format("--size {}={}: a whole number", name, value));
    if (!sizes.emplace(name, *number).second) {
      throw UsageError(fmt::format("--size: '{}' stands there twice", name));
    }
  }
  return sizes;
}

OwnProgram ProgramOf(const SearchOptions& options) {
  const SearchOptions::Own& own = options.own;
  if (own.run.empty() && own.serve.empty()) {
    throw UsageError(
        "a space of your own needs a program that is measured: --run './bench.sh {block_x}' is "
        "called for each time, --serve './server' is asked by lines of JSON");
  }
  if (!own.run.empty() && !own.serve.empty()) {
    throw UsageError("--run and --serve: the program is called each time, or asked; leave one out");
  }
  if (!own.build.empty() && own.run.empty()) {
    throw UsageError("--build goes with --run: a program that serves builds by itself");
  }
  constexpr double kMost = 1e6;
  if (!(own.timeout_s > 0) || own.timeout_s > kMost) {
    throw UsageError(fmt::format("--timeout {}: seconds, above 0", own.timeout_s));
  }
  OwnProgram program;
  program.run = own.run;
  program.serve = own.serve;
  program.build = own.build;
  program.filter = own.filter;
  program.timeout_s = own.timeout_s;
  program.trust_times = own.trust_times;
  program.at_once = options.jobs.value_or(1);
  return program;
}

/// What is of kernels alone.
void Refuse(bool is_there, const char* option, const ProblemOptions& problem) {
  if (!is_there) return;
  throw UsageError(
      fmt::format("{} is of kernels; --space {} is a space of its own", option, problem.space));
}

void RefuseKernels(const ProblemOptions& problem) {
  Refuse(!problem.kernel.empty(), "--kernel", problem);
  Refuse(!problem.compute.empty(), "--compute", problem);
  Refuse(!problem.type.empty(), "--type", problem);
  Refuse(problem.gpu.has_value(), "--gpu", problem);
}

void RefuseOthers(const SearchOptions& options) {
  RefuseKernels(options.problem);
  Refuse(!options.gpus.empty(), "--gpus", options.problem);
  Refuse(!options.runs_under.empty(), "--under", options.problem);
}

bool IsOwnText(const std::string& space) {
  return space.ends_with(".own");
}

/// What stands in the text of a run.
void RefuseProgram(const SearchOptions& options) {
  const SearchOptions::Own& own = options.own;
  const bool says = !own.data.empty() || !own.run.empty() || !own.serve.empty() ||
                    !own.build.empty() || !own.filter.empty() || own.trust_times;
  if (!says) return;
  throw UsageError(
      fmt::format("{} has data and program already: leave the options out", options.problem.space));
}

/// The text of a run, without its program.
OwnText TextOf(const ProblemOptions& problem, const std::string& data) {
  OwnText own;
  if (IsOwnText(problem.space)) return ParseOwnText(ReadUserFile(problem.space));
  own.files = OwnFilesOf(problem.space);
  if (!data.empty()) own.data = ReadUserFile(data);
  return own;
}

}  // namespace

int SearchOwn(const SearchOptions& options, const Invocation& invocation) {
  CheckRunOptions(options);
  PolicyOf(options.policy(), options.policy_options);
  RefuseOthers(options);
  OwnText own;
  if (IsOwnText(options.problem.space)) {
    RefuseProgram(options);
    own = ParseOwnText(ReadUserFile(options.problem.space));
  } else {
    const OwnProgram program = ProgramOf(options);
    own = TextOf(options.problem, options.own.data);
    own.program = program;
  }
  const std::atomic<bool>& interrupted = ListenForSignals();
  Budget budget(options, interrupted);
  return WithinBudget([&] {
    const OwnSubject subject(std::move(own), SizesOf(options.problem.size),
                             {MemoryFor(options.problem.memory), &budget.stop});
    fmt::print("{}, seed {}\n", subject.name(), options.seed);
    std::fflush(stdout);
    return BeginRun(subject, options, invocation, budget);
  });
}

std::unique_ptr<Subject> SpaceOfOwn(const ProblemOptions& problem, const std::string& data) {
  RefuseKernels(problem);
  return std::make_unique<OwnSubject>(TextOf(problem, data), SizesOf(problem.size),
                                      Allowance{MemoryFor(problem.memory), problem.stop});
}

}  // namespace exh::search
