// SPDX-License-Identifier: MIT
//
// The cost model on logs of searches: LOG… [--search EVALS [--first-seed N] [--seeds N]]
//
// First how often each structure was evaluated, its fastest, how well what is counted of lowered
// code foretells times, and how well the model guesses: taught the first evaluations of a log, it
// is asked of the next 150. Then, with --search, searches that need no device: what a forest that
// was taught all the logs says of an implementation is its time. That forest is smoother than a
// device, and knows nothing of what no log went to; which of two ways to search is better it still
// tells.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/standard_streams.h"
#include "search/learn/cost_model.h"
#include "search/log/decisions.h"
#include "search/log/replay.h"
#include "search/near/structure.h"
#include "search/run/explorer.h"
#include "search/run/stopper.h"
#include "search/subject/candidate_bound.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

constexpr std::size_t kNext = 150;

/// An evaluation of a log as the model sees it.
struct Sample {
  const EvalRecord* eval;
  std::vector<double> amounts;
  double ns = 0;  ///< 0: it did not work, or not in time.
};

std::vector<Sample> SamplesOf(const Log& log, const runtime::Candidate& root,
                              const AmountsFunction& amounts) {
  std::vector<Sample> samples;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == kernels::Verdict::kBroken) continue;
    runtime::Candidate candidate = root;
    ReplayRecord(log, eval, candidate);
    Sample sample{&eval, std::vector<double>(amounts.count)};
    amounts.fill(candidate, sample.amounts);
    if (eval.verdict == kernels::Verdict::kCorrect) sample.ns = eval.best_ns;
    samples.push_back(std::move(sample));
  }
  return samples;
}

void Teach(const Sample& sample, CostModel& model) {
  model.Add(sample.eval->vector, sample.amounts, sample.amounts[0], sample.eval->path, {},
            sample.ns);
}

/// Places in ascending order; equal values share theirs.
std::vector<double> RanksOf(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t index) { return values[index]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    }
    begin = end;
  }
  return ranks;
}

double Correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(std::max(1e-300, aa * bb));
}

/// How well what is counted of lowered code foretells times, before anything is learned.
void Count(const std::string& name, const std::vector<Sample>& samples,
           const AmountsFunction& amounts) {
  if (!amounts.guess) return;
  std::vector<double> times, guesses, bounds;
  double middle = 0;
  for (const Sample& sample : samples) {
    if (sample.ns <= 0 && sample.eval->best_ns <= 0) continue;  // It has no time.
    times.push_back(std::log(sample.eval->best_ns));
    guesses.push_back(std::log(std::max(1.0, sample.amounts[*amounts.guess])));
    bounds.push_back(std::log(std::max(1.0, sample.amounts[0])));
    middle += times.back() - guesses.back();
  }
  if (times.empty()) return;
  middle /= static_cast<double>(times.size());
  double error = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    error += std::abs(times[i] - guesses[i] - middle) / static_cast<double>(times.size());
  }
  fmt::print(
      "{}: of {} times the guess has a rank correlation of {:.2f} (the bound {:.2f}), is {:.2f} of "
      "them on average and else off by a factor of {:.2f}\n",
      name, times.size(), Correlation(RanksOf(guesses), RanksOf(times)),
      Correlation(RanksOf(bounds), RanksOf(times)), std::exp(-middle), std::exp(error));
}

/// Guesses of what comes next, while the model learns a log.
void Guess(const std::string& name, const std::vector<Sample>& samples,
           const runtime::Candidate& root, const AmountsFunction& amounts) {
  CostModel model(root.instance(), amounts.count, 1, nullptr, amounts.guess);
  double fastest = HUGE_VAL;
  std::size_t look = 100;
  for (std::size_t taught = 1; taught + kNext <= samples.size(); ++taught) {
    const Sample& sample = samples[taught - 1];
    Teach(sample, model);
    if (sample.ns > 0) fastest = std::min(fastest, sample.ns);
    if (taught != look || !model.is_ready()) continue;
    look *= 2;
    std::vector<double> times, guesses;
    double error = 0;
    for (std::size_t next = taught; next < taught + kNext; ++next) {
      const Sample& asked = samples[next];
      const double worst = CostModel::kWorst * fastest;
      times.push_back(std::log(asked.ns > 0 ? std::min(asked.ns, worst) : worst));
      guesses.push_back(model.Ask(asked.eval->vector, asked.amounts, asked.amounts[0])->mean);
      error += std::abs(guesses.back() - times.back()) / kNext;
    }
    fmt::print("{} after {}: rank correlation {:.2f}, off by a factor of {:.2f}\n", name, taught,
               Correlation(RanksOf(guesses), RanksOf(times)), std::exp(error));
  }
}

/// How often each structure was evaluated, and its fastest, while the log goes on.
void Structures(const std::string& name, const Log& log, const runtime::Candidate& root) {
  struct Stand {
    int evaluations = 0;
    double fastest = 0;
  };
  const Structure structure(root);
  std::map<std::uint64_t, Stand> stands;
  int done = 0, look = 500;
  for (const EvalRecord& eval : log.evals) {
    runtime::Candidate candidate = root;
    ReplayRecord(log, eval, candidate);
    Stand& stand = stands[structure.Of(candidate)];
    ++stand.evaluations;
    const bool is_timed = eval.verdict == kernels::Verdict::kCorrect;
    if (is_timed && (stand.fastest == 0 || eval.best_ns < stand.fastest)) {
      stand.fastest = eval.best_ns;
    }
    if (++done != look && done != static_cast<int>(log.evals.size())) continue;
    look += 500;
    fmt::print("{} after {}, structures:", name, done);
    for (const auto& [number, one] : stands) {
      fmt::print("  {} x {:.1f} us", one.evaluations, one.fastest / 1e3);
    }
    fmt::print("\n");
  }
}

/// Times are what a forest says.
class Forest final : public Evaluator {
 public:
  Forest(const CostModel& model, const AmountsFunction& amounts)
      : model_(model), amounts_(amounts) {}

  kernels::Source Emit(const runtime::Candidate& implementation) override {
    std::vector<double> amounts(amounts_.count);
    amounts_.fill(implementation, amounts);
    const std::string vector = VectorText(implementation);
    const double ns = std::exp(model_.Ask(vector, amounts, amounts[0]).value().mean);
    return fmt::format("{}\n{}", ns, vector);
  }
  kernels::Compiled Compile(const kernels::Source& source) override {
    kernels::Compiled compiled;
    compiled.source = source.text;
    return compiled;
  }
  kernels::Measurement Measure(const kernels::Compiled& compiled, const kernels::Cap& cap,
                               Effort) override {
    kernels::Measurement measurement;
    measurement.best_ns = std::atof(compiled.source.c_str());
    const bool is_slow = cap.ns > 0 && measurement.best_ns > cap.ns;
    measurement.verdict = is_slow ? kernels::Verdict::kSlow : kernels::Verdict::kCorrect;
    measurement.runtimes_ns = {measurement.best_ns};
    return measurement;
  }
  void Discard(const kernels::Compiled&) override {}

 private:
  const CostModel& model_;
  const AmountsFunction& amounts_;
};

void SearchForest(const Problem& problem, const SearchBound& bound, const CostModel& model,
                  const Log& like, int evaluations, std::uint64_t seed) {
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::Parse(problem.order(""), root.instance());
  Forest forest(model, bound.amounts);
  ExplorerOptions options;
  options.seed = seed;
  options.batch = 16;  // So many are under way on a device.
  options.policy = MakePolicy("tag", {});
  options.proposer.local_share = like.run->local;
  options.proposer.screen = like.run->screen;
  options.proposer.bound = bound.bound;
  options.proposer.amounts = bound.amounts;
  AnyStopper stopper;
  stopper.Add(
      std::make_unique<EvaluationsStopper>(static_cast<std::uint64_t>(std::max(1, evaluations))));
  std::FILE* const nowhere = std::fopen("/dev/null", "w");
  ProgressReporter progress(ProgressMode::kNone, nowhere);
  const std::string path =
      std::filesystem::temp_directory_path() / fmt::format("exh-bench-model-{}.jsonl", getpid());
  EventLog log(path);
  Explorer explorer(root, order, forest, stopper, log, progress, SteadyClock(), options);
  const Outcome outcome = explorer.Run();
  std::fclose(nowhere);
  std::filesystem::remove(path);
  fmt::print("seed {}: {:.1f} us after {} evaluations\n", seed, outcome.winner.value().ns / 1e3,
             outcome.end.evaluations);
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  std::vector<std::string> names;
  int evaluations = 0, first_seed = 1, seeds = 4;
  for (int index = 1; index < argc; ++index) {
    const std::string_view word = argv[index];
    if (word == "--search" && index + 1 < argc) {
      evaluations = std::atoi(argv[++index]);
    } else if (word == "--seeds" && index + 1 < argc) {
      seeds = std::atoi(argv[++index]);
    } else if (word == "--first-seed" && index + 1 < argc) {
      first_seed = std::atoi(argv[++index]);
    } else {
      names.emplace_back(word);
    }
  }
  if (names.empty()) {
    fmt::print(
        "usage: ./exh bench model LOG… [--search EVALS [--first-seed N] [--seeds N]]: logs of one "
        "problem\n");
    return 2;
  }
  const Log first = ReadLog(names.front());
  const Problem problem = MakeProblem(*first.run);
  const runtime::Candidate root = problem.root();
  const SearchBound bound = MakeSearchBound(problem, models::CacheState::kWarm);
  CostModel all(root.instance(), bound.amounts.count, 4711, nullptr, bound.amounts.guess);
  for (const std::string& name : names) {
    const Log log = ReadLog(name);
    CheckSameSpace(log, name, root.instance());
    Structures(name, log, root);
    const std::vector<Sample> samples = SamplesOf(log, root, bound.amounts);
    Count(name, samples, bound.amounts);
    Guess(name, samples, root, bound.amounts);
    if (evaluations == 0) continue;
    for (const Sample& sample : samples) Teach(sample, all);
  }
  for (int seed = first_seed; evaluations > 0 && seed < first_seed + seeds; ++seed) {
    SearchForest(problem, bound, all, first, evaluations, static_cast<std::uint64_t>(seed));
  }
  return 0;
}

}  // namespace
}  // namespace exh::search

int main(int argc, char** argv) {
  exh::OpenStandardFiles();
  return exh::search::Main(argc, argv);
}
