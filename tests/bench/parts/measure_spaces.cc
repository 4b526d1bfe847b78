// SPDX-License-Identifier: MIT
#include "tests/bench/parts/measure_spaces.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/library/kernel.h"
#include "search/subject/problem.h"
#include "tests/bench/parts/engine_kernels.h"
#include "tests/bench/parts/measure_descents.h"
#include "tests/bench/parts/measure_walks.h"
#include "tests/kernels/computations/computations.h"

namespace exh::tests {
namespace {

using runtime::Candidate;

long PeakKilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void PrintWho(const Rate& rate) {
  constexpr std::size_t kShown = 6;
  std::vector<std::pair<std::uint64_t, std::string>> most;
  for (const auto& [label, count] : rate.by_label) most.emplace_back(count, label);
  std::ranges::sort(most, std::greater<>());
  std::string line;
  for (std::size_t i = 0; i < std::min(kShown, most.size()); ++i) {
    line += fmt::format("{}{} {:.2f}", i == 0 ? "" : ", ", most[i].second,
                        static_cast<double>(most[i].first) /
                            static_cast<double>(std::max<std::uint64_t>(1, rate.implementations)));
  }
  if (!line.empty()) std::printf("  %s\n", line.c_str());
}

/// Prints one row. `make` builds the space.
void Row(const std::string& name, double seconds, const std::function<Candidate()>& make,
         const std::string& order_text) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child != 0) {
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) std::printf("%-36s failed\n", name.c_str());
    return;
  }
  try {
    const long before = PeakKilobytes();
    const auto start = Clock::now();
    const Candidate root = make();
    const double freeze = Since(start);
    const long peak = PeakKilobytes() - before;
    const search::ChoiceOrder order = search::ChoiceOrder::Parse(order_text, root.instance());
    const Rate rate = MeasureDescents(root, order, seconds);
    search::DeadEndStudy study(order);
    Random random(1);
    int descents = 0, died = 0;
    const auto study_start = Clock::now();
    while (descents < 1000 && Since(study_start) < seconds) {
      died += study.Run(root, random).has_value();
      ++descents;
    }
    const auto& statistics = root.instance().statistics();
    const WalkRate walks = MeasureWalks(root, seconds);
    std::printf(
        "%-36s %9zu %8.3f %7.1f %7.1f %10.1f %9.1f %7.1f %% %9.0f %7.0f %9.0f %5.0f %% %6.1f\n",
        name.c_str(), statistics.decisions, freeze, static_cast<double>(peak) / 1024,
        static_cast<double>(statistics.state_bytes) / 1024, rate.per_second, rate.dead_ends,
        100.0 * died / std::max(1, descents), rate.events, 1e9 / (rate.per_second * rate.events),
        walks.per_second, 100 * walks.found, walks.dead_ends);
    PrintWho(rate);
  } catch (const std::exception& error) {
    std::printf("%-36s %s\n", name.c_str(), error.what());
  }
  std::fflush(stdout);
  ::_exit(0);
}

void Heading(const std::string& device, const std::string& space) {
  std::printf("%s, %s space\n%-36s %9s %8s %7s %7s %10s %9s %9s %9s %7s %9s %7s %6s\n",
              device.c_str(), space.c_str(), "", "decisions", "freeze s", "peak MB", "KB",
              "impl./s", "dead ends", "that die", "events", "ns each", "looks/s", "found", "dead");
}

void Problems(const std::string& device, const std::string& space, const std::string& only,
              double seconds) {
  Heading(device, space);
  const auto problem = [&](const std::string& kernel, const std::string& size) {
    search::ProblemOptions options;
    options.kernel = kernel;
    options.size = size;
    options.device = device;
    options.space = space;
    Row(
        kernel + (size.empty() ? "" : " " + size), seconds,
        [&] { return search::MakeProblem(options).root(); }, space == "paper" ? "paper" : "");
  };
  if (only.find('/') != std::string::npos) return problem(only, "");
  for (const std::string& kernel : search::KernelNames()) {
    if (!only.empty() && kernel != only) continue;
    if (kernel == "matmul") {
      problem(kernel, "m=1024,n=1024,k=1024");
      if (space != "paper") problem(kernel, "m=32,n=32,k=65536");
    } else {
      problem(kernel, "");
    }
  }
  search::ProblemOptions of_device;
  of_device.device = device;
  for (const GrowthKernel& growth : GrowthKernels()) {
    if (!only.empty() && growth.name != only) continue;
    Row(
        growth.name, seconds,
        [&] {
          return Candidate(kernels::MakeTask(*growth.kernel, growth.sizes,
                                             search::FindDevice(of_device), space == "paper")
                               .instance);
        },
        space == "paper" ? "paper" : "");
  }
}

}  // namespace

void MeasureSpaces(double seconds, const std::string& device, const std::string& kernel) {
  for (const char* one : {"h200", "cpu"}) {
    if (device.empty() || device == one) Problems(one, "default", kernel, seconds);
  }
  if (device.empty() || device == "k4000") Problems("k4000", "paper", kernel, seconds);
}

void MeasureComputations(double seconds, const std::string& device, std::int64_t times) {
  namespace testing = kernels::testing;
  Heading(device, "default");
  search::ProblemOptions of_device;
  of_device.device = device;
  for (const testing::Computation& computation : testing::Computations()) {
    Row(
        std::string(computation.name), seconds,
        [&] {
          return Candidate(kernels::MakeTask(testing::KernelOf(computation),
                                             testing::SizesOf(computation, times),
                                             search::FindDevice(of_device))
                               .instance);
        },
        "");
  }
}

}  // namespace exh::tests
