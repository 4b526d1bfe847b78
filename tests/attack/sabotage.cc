// SPDX-License-Identifier: MIT
//
// Has the evaluator of a device judge sabotaged kernels, as a search would: a quick measurement,
// the one that confirms a best, and the audit of a winner. Writes one JSON object for each on a
// line:
//   {"kernel", "size", "k", "name", "verdict", "why", "right", "failed"}
// `right` is a control, which must be correct; anything else must not be. `failed` says that it was
// otherwise. Exit code: 0, 1 when something failed or the device is not there, 2 for a mistake on
// the command line.
//
// usage: sabotage [--device cpu] [--programs] [--k N]... [--every N] [--first N]
//   --programs  of fused operators, and on a GPU of functional programs, in the place of kernels
//   --k         only sums of so many terms (default: all)
//   --every     only each N-th sabotage, from number --first on
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernels/devices/backend.h"
#include "search/main.h"
#include "search/measure/make_evaluator.h"
#include "search/subject/problem.h"
#include "tests/attack/programs.h"
#include "tests/attack/sabotages.h"

namespace exh::attack {
namespace {

using kernels::Measurement;
using kernels::Verdict;

/// Each sum once with few results and, where that is no trouble, with many.
const std::vector<Target> kTargets = {
    {"mv", "m=16,n=64", 64},
    {"matmul", "m=24,n=32,k=64", 64},
    {"matmul", "m=24,n=32,k=64,relu=1", 64},
    {"gesummv", "m=48,n=64", 64},
    {"axpy", "n=4096", 1},
    {"mv", "m=16,n=4096", 4096},
    {"matmul", "m=16,n=16,k=4096", 4096},
    {"matmul", "m=16,n=16,k=16384", 16384},
    {"gesummv", "m=16,n=4096", 4096},
    {"mv", "m=16,n=65536", 65536},
    {"matmul", "m=8,n=8,k=65536", 65536},
    {"mv", "m=16,n=1048576", 1 << 20},
};

struct Options {
  std::string device = "cpu";
  std::vector<long> terms;
  std::size_t every = 1, first = 0;
  bool programs = false;
};

/// What the search would say at last: of a candidate, of a best, and of the winner.
Measurement Judge(search::Evaluator& evaluator, const kernels::Compiled& compiled) {
  using search::Effort;
  Measurement last;
  for (const Effort effort : {Effort::kQuick, Effort::kFinal, Effort::kAudit}) {
    last = evaluator.Measure(compiled, {}, effort);
    if (last.verdict != Verdict::kCorrect && last.verdict != Verdict::kSlow) break;
  }
  return last;
}

/// Judges a sabotaged source, and writes its line. Whether it failed.
bool Attempt(search::Evaluator& evaluator, const kernels::Source& source, const Sabotage& sabotage,
             nlohmann::json line) {
  const kernels::Compiled compiled = evaluator.Compile(source);
  const Measurement measured = Judge(evaluator, compiled);
  evaluator.Discard(compiled);
  // One that does not even compile, or is not run, was not put to the test.
  const bool was_judged =
      measured.verdict != Verdict::kCompileError && measured.verdict != Verdict::kBroken &&
      measured.verdict != Verdict::kCompileTimeout && measured.verdict != Verdict::kStopped;
  const bool passed = measured.verdict == Verdict::kCorrect;
  const bool failed = !was_judged || passed != sabotage.is_right;
  line.update({{"name", sabotage.name},
               {"verdict", kernels::VerdictName(measured.verdict)},
               {"why", measured.why},
               {"right", sabotage.is_right},
               {"failed", failed}});
  fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::fflush(stdout);
  return failed;
}

int RunPrograms(const Options& options) {
  std::size_t number = 0;
  int failures = 0;
  search::ProblemOptions asked;
  asked.device = options.device;
  const bool is_gpu = kernels::BackendOf(search::FindDevice(asked)).is_gpu();
  for (const ProgramTarget& target : ProgramTargets(options.device, is_gpu)) {
    std::unique_ptr<search::Evaluator> evaluator;
    for (const Sabotage& sabotage : SabotagesOf(target, is_gpu)) {
      if (number++ % options.every != options.first % options.every) continue;
      if (!evaluator) evaluator = target.subject->MakeEvaluator({});
      failures += Attempt(*evaluator, SourceOf(target, sabotage, is_gpu), sabotage,
                          {{"kernel", target.kind}, {"size", target.name}, {"k", 0}})
                      ? 1
                      : 0;
    }
  }
  return failures == 0 ? 0 : 1;
}

int Run(const Options& options) {
  if (options.programs) return RunPrograms(options);
  std::size_t number = 0;
  int failures = 0;
  for (const Target& target : kTargets) {
    if (!options.terms.empty() &&
        std::ranges::find(options.terms, target.terms) == options.terms.end()) {
      continue;
    }
    std::vector<Sabotage> wanted;
    for (const Sabotage& sabotage : SabotagesOf(target)) {
      if (number++ % options.every == options.first % options.every) wanted.push_back(sabotage);
    }
    if (wanted.empty()) continue;
    search::ProblemOptions asked;
    asked.kernel = target.kernel;
    asked.size = target.size;
    asked.device = options.device;
    asked.space = "paper";  // Of no account here, and the one that is made fastest.
    const search::Problem problem = search::MakeProblem(asked);
    const auto evaluator = search::MakeEvaluator(problem, {});
    const bool is_gpu = kernels::BackendOf(problem.device).is_gpu();
    for (const Sabotage& sabotage : wanted) {
      const kernels::Source source = SourceOf(target, sabotage, is_gpu);
      const nlohmann::json line = {
          {"kernel", target.kernel}, {"size", target.size}, {"k", target.terms}};
      failures += Attempt(*evaluator, source, sabotage, line) ? 1 : 0;
    }
  }
  return failures == 0 ? 0 : 1;
}

Options Parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (words[i] == "--programs") {
      options.programs = true;
      --i;
      continue;
    }
    if (i + 1 == words.size()) throw UsageError(words[i] + " lacks its value");
    const std::string& value = words[i + 1];
    const auto number = [&] {
      if (value.empty() ||
          !std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; })) {
        throw UsageError(words[i] + " takes a whole number, not '" + value + "'");
      }
      return std::stol(value);
    };
    if (words[i] == "--device") {
      options.device = value;
    } else if (words[i] == "--k") {
      options.terms.push_back(number());
    } else if (words[i] == "--every") {
      options.every = static_cast<std::size_t>(std::max(1l, number()));
    } else if (words[i] == "--first") {
      options.first = static_cast<std::size_t>(number());
    } else {
      throw UsageError("there is no option '" + words[i] + "'");
    }
  }
  return options;
}

}  // namespace
}  // namespace exh::attack

int main(int argc, char** argv) {
  // Evaluators start this program again, as the processes that compile and run candidates.
  if (argc > 1 && std::string_view(argv[1]).starts_with("--") == false) {
    return exh::search::SearchMain(argc, argv);
  }
  try {
    return exh::attack::Run(exh::attack::Parse({argv + 1, argv + argc}));
  } catch (const exh::UsageError& error) {
    fmt::print(stderr, "sabotage: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "sabotage: {}\n", error.what());
    return 1;
  }
}
