// SPDX-License-Identifier: MIT
#include "tests/support/minizinc.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "tests/support/shell.h"

namespace exh::tests {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kSolution = "----------";

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

/// Writes model.mzn and model.fzn; returns what went wrong.
std::string Flatten(const std::string& model, const Scratch& scratch, int timeout_s) {
  std::ofstream(scratch / "model.mzn") << model;
  const std::string errors = scratch / "errors";
  const std::string command = "timeout " + std::to_string(timeout_s) +
                              " minizinc -c --solver gecode --no-output-ozn --fzn " +
                              (scratch / "model.fzn") + " " + (scratch / "model.mzn") + " >" +
                              errors + " 2>&1";
  if (std::system(command.c_str()) == 0) return "";
  return "minizinc failed: " + Contents(errors);
}

std::string Gecode(const std::string& options, const Scratch& scratch, int timeout_s) {
  return "timeout " + std::to_string(timeout_s) + " fzn-gecode " + options + " " +
         (scratch / "model.fzn") + " 2>" + (scratch / "errors");
}

}  // namespace

std::string MissingMiniZinc() {
  for (const char* program : {"minizinc", "fzn-gecode"}) {
    if (!IsOnPath(program)) {
      return std::string(program) + " is not installed (Debian packages minizinc and flatzinc)";
    }
  }
  return "";
}

SolutionCount CountSolutions(const std::string& model, int timeout_s) {
  const Scratch scratch;
  SolutionCount count;
  // What the solutions are is not asked, and printing them takes longer than finding them.
  const std::size_t output = model.find("\noutput ");
  count.error = Flatten(model.substr(0, output) + "\noutput [];\n", scratch, timeout_s);
  if (!count.error.empty()) {
    // A model that contradicts itself may be found out while it is flattened.
    if (count.error.find("UNSATISFIABLE") != std::string::npos) count.error.clear();
    return count;
  }
  bool finished = false, unsatisfiable = false;
  const int status = ReadLines(Gecode("-a", scratch, timeout_s), [&](std::string_view line) {
    count.solutions += line.starts_with(kSolution);
    finished |= line.starts_with("==========");
    unsatisfiable |= line.find("UNSATISFIABLE") != std::string_view::npos;
  });
  if (status != 0 || !(finished || unsatisfiable)) {
    count.error = "fzn-gecode did not finish: " + Contents(scratch / "errors");
  }
  return count;
}

GecodeRate MeasureGecode(const std::string& model, std::uint64_t solutions, int timeout_s,
                         std::uint64_t seed, bool restarts) {
  const Scratch scratch;
  GecodeRate rate;
  const Clock::time_point flatten = Clock::now();
  rate.error = Flatten(model, scratch, timeout_s);
  rate.flatten_seconds = Seconds(flatten);
  if (!rate.error.empty()) return rate;

  const std::string options =
      std::string(restarts ? "-restart constant -restart-scale 1000000 " : "") + "-n " +
      std::to_string(solutions) + " -r " + std::to_string(seed);
  const Clock::time_point start = Clock::now();
  Clock::time_point first = start;
  ReadLines(Gecode(options, scratch, timeout_s), [&](std::string_view line) {
    if (!line.starts_with(kSolution)) return;
    if (++rate.solutions == 1) {
      first = Clock::now();
      rate.start_seconds = std::chrono::duration<double>(first - start).count();
    } else {
      rate.seconds = Seconds(first);
    }
  });
  if (rate.solutions < 2) {
    rate.error = "fzn-gecode found " + std::to_string(rate.solutions) + " solutions in " +
                 std::to_string(timeout_s) + " s: " + Contents(scratch / "errors");
  } else {
    rate.descents_per_second = static_cast<double>(rate.solutions - 1) / rate.seconds;
  }
  return rate;
}

std::uint64_t CountImplementations(const runtime::Candidate& candidate, std::uint64_t limit) {
  const runtime::Instance& instance = candidate.instance();
  if (instance.root_result() == runtime::Propagation::kDeadEnd) return 0;
  for (runtime::DecisionId d = 0; d < instance.num_decisions(); ++d) {
    if (!candidate.IsOpen(d)) continue;
    std::uint64_t count = 0;
    candidate.ForEachValue(d, [&](int value) {
      if (count > limit) return;
      runtime::Candidate child = candidate;
      if (child.Take(d, value) == runtime::Propagation::kFixpoint) {
        count += CountImplementations(child, limit - count);
      }
    });
    return count;
  }
  return candidate.IsImplementation();
}

}  // namespace exh::tests
