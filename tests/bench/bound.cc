// SPDX-License-Identifier: MIT
//
// Lower bounds: their time per candidate, and that no measured record is faster: [LOG …]
//
// The candidates are prefixes of random descents; the records are those of the logs.
// A record that is faster than its bound is a bug of the models; the program then fails.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/system/standard_streams.h"
#include "kernels/task.h"
#include "search/descend/choice_order.h"
#include "search/descend/value_set.h"
#include "search/log/log_reader.h"
#include "search/log/replay.h"
#include "search/subject/candidate_bound.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

using Clock = std::chrono::steady_clock;

/// Candidates on the way of random descents, the root first.
std::vector<runtime::Candidate> Prefixes(const Problem& problem, std::size_t number) {
  const ChoiceOrder order = ChoiceOrder::Default(problem.root().instance());
  Random random(1);
  std::vector<runtime::Candidate> all;
  while (all.size() < number) {
    runtime::Candidate candidate = problem.root();
    for (int step = 0; all.size() < number; ++step) {
      if (step % 4 == 0) all.push_back(candidate);
      const auto next = order.Next(candidate);
      if (!next) break;
      const int value = DrawValue(candidate, *next, random);
      if (candidate.Take(*next, value) != runtime::Propagation::kFixpoint) break;
    }
  }
  return all;
}

void MeasureCost(const std::string& kernel, const std::string& size, const std::string& device,
                 const std::string& space) {
  ProblemOptions options;
  options.kernel = kernel;
  options.size = size;
  options.device = device;
  options.space = space;
  const Problem problem = MakeProblem(options);
  const models::LowerBound bound(*problem.task.function, RatesOf(problem.device));
  std::vector<models::Domains> domains;
  const std::vector<runtime::Candidate> candidates = Prefixes(problem, 2000);
  constexpr int kTimes = 50;
  const auto microseconds = [&](auto what) {
    const auto start = Clock::now();
    for (int time = 0; time < kTimes; ++time) {
      for (std::size_t i = 0; i < candidates.size(); ++i) what(i);
    }
    const std::chrono::duration<double, std::micro> all = Clock::now() - start;
    return all.count() / (kTimes * static_cast<double>(candidates.size()));
  };
  domains.resize(candidates.size());
  const double read = microseconds([&](std::size_t i) {
    models::ReadDomains(*problem.task.function, problem.task.decisions, candidates[i], domains[i]);
  });
  double sum = 0;
  const double first = microseconds([&](std::size_t i) { sum += bound.Ns(domains[i], 0); });
  const double both = microseconds([&](std::size_t i) { sum += bound.Ns(domains[i]); });
  fmt::print("{:<8} {:<24} {:<6} {:>6.2f} {:>7.2f} {:>7.2f}{}\n", kernel, size, device, read, first,
             both, sum > 0 ? "" : "  (nothing is bounded)");
}

/// Are all bounds at most the measured times?
bool Compare(const std::string& path) {
  const Log log = ReadLog(path);
  const Problem problem = MakeProblem(*log.run);
  const CandidateBound bound(problem);
  std::vector<double> ratios;
  std::map<std::string, int> resources;
  int violations = 0;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict != kernels::Verdict::kCorrect) continue;
    runtime::Candidate candidate = problem.root();
    ReplayRecord(log, eval, candidate);
    const models::Bound explained = bound.Explain(candidate);
    ratios.push_back(explained.ns / eval.best_ns);
    ++resources[std::string(explained.bottleneck)];
    if (ratios.back() > 1) {
      ++violations;
      fmt::print("record {}: {:.0f} ns measured, {:.0f} ns bound by {}\n", eval.n, eval.best_ns,
                 explained.ns, explained.bottleneck);
    }
  }
  if (ratios.empty()) {
    fmt::print("{}: no correct records\n", path);
    return true;
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print("{}: {} records, {} below their bound; bound / time: median {:.3f}, largest {:.3f}\n",
             path, ratios.size(), violations, ratios[ratios.size() / 2], ratios.back());
  for (const auto& [resource, number] : resources) fmt::print("  {:>6} {}\n", number, resource);
  return violations == 0;
}

}  // namespace
}  // namespace exh::search

int main(int argc, char** argv) {
  using namespace exh::search;
  exh::OpenStandardFiles();
  try {
    fmt::print("us per candidate: domains read, bound of the first tier, of both\n");
    MeasureCost("axpy", "n=67108864", "h200", "");
    MeasureCost("matmul", "m=1024,n=1024,k=1024", "h200", "");
    MeasureCost("matmul", "m=1024,n=1024,k=1024", "k4000", "paper");
    bool sound = true;
    for (int i = 1; i < argc; ++i) sound = Compare(argv[i]) && sound;
    return sound ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
