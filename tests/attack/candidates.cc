// SPDX-License-Identifier: MIT
//
// usage: candidates KERNEL SIZES THREADS
//
// Runs C++ texts as candidates of a kernel on the cpu device, all with one evaluator as a search
// has it: measured quickly, and once more at length if they seem right. Reads the path of a text a
// line and answers with a line of JSON: {"file", "verdict", "why", "ns"}, as the last measurement
// says.
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/cpu/contain/runner.h"
#include "kernels/devices/cpu/evaluator.h"
#include "kernels/devices/task_workload.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

using kernels::Verdict;

void Attempt(kernels::Evaluator& evaluator, const std::string& file) {
  std::ifstream text(file);
  const std::string source{std::istreambuf_iterator<char>(text), {}};
  const kernels::Compiled compiled = evaluator.Compile(source);
  // A cap, so that what hangs is given up after three seconds and not after minutes.
  constexpr kernels::Cap kCap{.ns = 2e7};
  kernels::Measurement measured = evaluator.Measure(compiled, kCap, kernels::Effort::kQuick);
  if (measured.verdict == Verdict::kCorrect) {
    measured = evaluator.Measure(compiled, {}, kernels::Effort::kFinal);
  }
  evaluator.Discard(compiled);
  const nlohmann::json line = {{"file", file},
                               {"verdict", kernels::VerdictName(measured.verdict)},
                               {"why", measured.why},
                               {"ns", measured.best_ns}};
  fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::fflush(stdout);
}

int Run(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: candidates KERNEL SIZES THREADS < PATHS\n");
    return 2;
  }
  ProblemOptions options;
  options.kernel = argv[1];
  options.size = argv[2];
  options.threads = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
  options.space = "paper";  // The space is not needed, and this one is small.
  const Problem problem = MakeProblem(options);
  const std::unique_ptr<kernels::Evaluator> evaluator =
      kernels::MakeCpuEvaluator(kernels::WorkloadOf(problem.task), nullptr);
  for (std::string file; std::getline(std::cin, file);) Attempt(*evaluator, file);
  return 0;
}

}  // namespace
}  // namespace exh::search

int main(int argc, char** argv) {
  // The evaluator starts this program again, to run a candidate.
  if (argc > 1 && std::string(argv[1]) == exh::kernels::kRunCandidate) {
    return exh::kernels::cpu::RunnerMain();
  }
  try {
    return exh::search::Run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "candidates: {}\n", error.what());
    return 1;
  }
}
