// SPDX-License-Identifier: MIT
#include "search/commands/own.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "base/system/signals.h"
#include "base/system/user_file.h"
#include "kernels/ir/types.h"
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

/// A kernel does without commands.
void CheckKernelOptions(const SearchOptions::Own& own) {
  if (own.cuda.empty() && !own.entry.empty()) {
    throw UsageError("--entry goes with --cuda kernel.cu: it is the name of a kernel in that file");
  }
  if (own.cuda.empty() && !own.launch.empty()) {
    throw UsageError("--launch goes with --cuda kernel.cu: it says how that is launched");
  }
  if (own.cuda.empty()) return;
  for (const auto& [text, option] : {std::pair(&own.run, "--run"), std::pair(&own.serve, "--serve"),
                                     std::pair(&own.build, "--build")}) {
    if (text->empty()) continue;
    throw UsageError(fmt::format(
        "{} and --cuda: a program of yours is measured, or a kernel of yours; leave one out",
        option));
  }
  if (own.trust_times) {
    throw UsageError("--trust-times and --cuda: results of kernels are checked; leave it out");
  }
  if (own.entry.empty()) {
    throw UsageError("--cuda needs --entry NAME: the name of the kernel in the file");
  }
  if (own.launch.empty()) {
    throw UsageError(
        "--cuda needs --launch launch.json: {\"grid\": [\"n div block_x()\"], \"block\": "
        "[\"block_x()\"], \"arguments\": […]}");
  }
}

OwnKernelText KernelOf(const SearchOptions& options) {
  OwnKernelText kernel;
  if (options.own.cuda.empty()) return kernel;
  kernel.path = options.own.cuda;
  kernel.text = ReadUserFile(kernel.path);
  kernel.entry = options.own.entry;
  kernel.launch_path = options.own.launch;
  kernel.launch = ReadUserFile(kernel.launch_path);
  kernel.type = options.problem.type;
  if (!kernel.type.empty() && !kernels::ir::TypeOfWord(kernel.type)) {
    std::vector<std::string> words;
    for (const auto& info : kernels::ir::AllTypes()) words.emplace_back(info.word);
    throw UsageError("--type: " + UnknownName("type", kernel.type, words));
  }
  return kernel;
}

OwnProgram ProgramOf(const SearchOptions& options) {
  const SearchOptions::Own& own = options.own;
  CheckKernelOptions(own);
  if (own.run.empty() && own.serve.empty() && own.cuda.empty()) {
    throw UsageError(
        "a space of your own needs a program that is measured: --run './bench.sh {block_x}' is "
        "called for each time, --serve './server' is asked by lines of JSON, --cuda kernel.cu is "
        "a kernel of yours");
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
  program.at_once = own.cuda.empty() ? options.jobs.value_or(1) : 1;
  return program;
}

/// What is of kernels alone.
void Refuse(bool is_there, const char* option, const ProblemOptions& problem) {
  if (!is_there) return;
  throw UsageError(
      fmt::format("{} is of kernels; --space {} is a space of its own", option, problem.space));
}

void RefuseKernels(const ProblemOptions& problem, bool is_gpu) {
  Refuse(!problem.kernel.empty(), "--kernel", problem);
  Refuse(!problem.compute.empty(), "--compute", problem);
  if (is_gpu) return;
  Refuse(!problem.type.empty(), "--type", problem);
  Refuse(problem.gpu.has_value(), "--gpu", problem);
}

void RefuseOthers(const SearchOptions& options, bool is_gpu) {
  RefuseKernels(options.problem, is_gpu);
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
                    !own.build.empty() || !own.filter.empty() || !own.cuda.empty() ||
                    !own.entry.empty() || !own.launch.empty() || own.trust_times;
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
  OwnText own;
  if (IsOwnText(options.problem.space)) {
    RefuseProgram(options);
    own = ParseOwnText(ReadUserFile(options.problem.space));
    RefuseOthers(options, own.kernel.is_there());
  } else {
    RefuseOthers(options, !options.own.cuda.empty());
    const OwnProgram program = ProgramOf(options);
    own = TextOf(options.problem, options.own.data);
    own.program = program;
    own.kernel = KernelOf(options);
  }
  const std::atomic<bool>& interrupted = ListenForSignals();
  Budget budget(options, interrupted);
  return WithinBudget(options, [&] {
    const OwnSubject subject(std::move(own), SizesOf(options.problem.size),
                             {MemoryFor(options.problem.memory), &budget.stop});
    fmt::print("{}, seed {}\n", subject.name(), options.seed);
    std::fflush(stdout);
    return BeginRun(subject, options, invocation, budget);
  });
}

std::unique_ptr<Subject> SpaceOfOwn(const ProblemOptions& problem, const std::string& data) {
  RefuseKernels(problem, false);
  return std::make_unique<OwnSubject>(TextOf(problem, data), SizesOf(problem.size),
                                      Allowance{MemoryFor(problem.memory), problem.stop});
}

}  // namespace exh::search
