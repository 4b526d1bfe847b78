// SPDX-License-Identifier: MIT
//
// How many random implementations code generation refuses, by kernel and device.
//
// Of every kernel of the library and of the computations of tests/kernels/computations: none should
// be refused. No GPU is needed. [--count N: of each, default 1000] [--device D] [--kernel K]
// [--size S] [--space paper] [--seed S] [--threads N] [--times N: computations with sizes so many
// times as large as the test's] [--decisions: prints those of the first of each reason]
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "search/subject/problem.h"
#include "tests/bench/parts/measure_descents.h"
#include "tests/kernels/computations/computations.h"
#include "tests/kernels/computations/refusals.h"

namespace {

namespace testing = exh::kernels::testing;
using exh::search::ProblemOptions;

struct Options {
  std::uint64_t count = 1000, seed = 1;
  std::int64_t times = 1;
  int threads = exh::NumCores();
  std::string device, kernel, size, space = "default";
  bool decisions = false;
};

/// Prints a row; what was refused.
std::uint64_t Row(const Options& options, const std::string& device, const std::string& name,
                  const std::function<exh::kernels::Task()>& make) {
  try {
    const exh::kernels::Task task = make();
    if (task.root_failed) {
      fmt::print("{:<8} {:<28} has no implementation\n", device, name);
      return 0;
    }
    const auto start = exh::tests::Clock::now();
    const testing::Refusals found =
        testing::CountRefusals(task, options.count, options.seed, options.threads);
    fmt::print("{:<8} {:<28} {:>8} drawn {:>6} given up {:>6} refused {:>8.1f} s\n{}", device, name,
               found.drawn, found.given_up, found.refused, exh::tests::Since(start), found.Text());
    if (options.decisions) {
      for (const auto& [kind, reason] : found.reasons) fmt::print("{}\n", reason.decisions);
    }
    std::fflush(stdout);
    return found.refused;
  } catch (const exh::Error& error) {
    fmt::print("{:<8} {:<28} {}\n", device, name, error.what());
    return 0;
  }
}

std::uint64_t OnDevice(const Options& options, const std::string& device) {
  std::uint64_t refused = 0;
  ProblemOptions problem;
  problem.device = device;
  problem.space = options.space;
  problem.size = options.size;
  const bool is_text = options.kernel.find_first_of("./") != std::string::npos;
  std::vector<std::string> names = exh::search::KernelNames();
  if (is_text) names = {options.kernel};
  for (const std::string& name : names) {
    if (!options.kernel.empty() && name != options.kernel) continue;
    problem.kernel = name;
    refused += Row(options, device, name, [&] { return exh::search::MakeProblem(problem).task; });
  }
  if (!options.size.empty()) return refused;
  for (const testing::Computation& computation : testing::Computations()) {
    const std::string name(computation.name);
    if (!options.kernel.empty() && name != options.kernel) continue;
    refused += Row(options, device, "computation " + name, [&] {
      return exh::kernels::MakeTask(testing::KernelOf(computation),
                                    testing::SizesOf(computation, options.times),
                                    exh::search::FindDevice(problem), options.space == "paper");
    });
  }
  return refused;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--decisions") {
      options.decisions = true;
      continue;
    }
    if (i + 1 == argc) break;
    const char* const value = argv[++i];
    if (option == "--count") options.count = std::strtoull(value, nullptr, 10);
    if (option == "--seed") options.seed = std::strtoull(value, nullptr, 10);
    if (option == "--times") options.times = std::atoll(value);
    if (option == "--threads") options.threads = std::atoi(value);
    if (option == "--device") options.device = value;
    if (option == "--kernel") options.kernel = value;
    if (option == "--size") options.size = value;
    if (option == "--space") options.space = value;
  }
  std::uint64_t refused = 0;
  for (const char* const device : {"cpu", "h200", "k4000", "hip-text", "opencl-text", "cuda"}) {
    if (!options.device.empty() && options.device != device) continue;
    try {
      refused += OnDevice(options, device);
    } catch (const std::exception& error) {
      fmt::print("{:<8} {}\n", device, error.what());
    }
  }
  fmt::print("refused: {}\n", refused);
  return refused == 0 ? 0 : 1;
}
