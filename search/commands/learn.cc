// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "search/commands/command.h"
#include "search/descend/dropped/dropped.h"
#include "search/learn/cost_model.h"
#include "search/learn/levels.h"
#include "search/learn/prior.h"
#include "search/log/decisions.h"
#include "search/log/log_reader.h"
#include "search/log/log_text.h"
#include "search/log/replay.h"
#include "search/log/run_folder.h"
#include "search/subject/registry.h"

namespace exh::search {
namespace {

struct LearnOptions {
  std::vector<std::string> runs;
  std::string out;
  std::uint64_t seed = 1;
  std::size_t most = 1500;
  bool checks = true;     ///< How well runs foretell one another, and themselves.
  bool or_usual = false;  ///< Writes the prior of such devices where that is the better one.
};

/// Is it a failure of the implementation, and not of the machine?
bool SaysSomething(const EvalRecord& eval) {
  using kernels::Verdict;
  for (const Verdict nothing : {Verdict::kBroken, Verdict::kWrong, Verdict::kImpossible,
                                Verdict::kUnchecked, Verdict::kRefused, Verdict::kInternal}) {
    if (eval.verdict == nothing) return false;
  }
  return true;
}

/// A run, and how well its own cost model foretells it.
struct ReadRun {
  PriorRun run;
  double own = 0;  ///< Rank correlation; taught the first third, asked of the rest.
};

/// The implementations of a run, at most so many: evenly over the time of the run. Without any that
/// was timed there are none. Throws UsageError.
ReadRun Read(const Log& log, const std::string& name, const Subject& subject,
             const LearnOptions& options) {
  const runtime::Candidate root = subject.root();
  CheckSameSpace(log, name, root.instance());
  const SearchBound bound = subject.Bound(log.run->is_cold(), WhichRates::kOfThisMachine);
  const Traits traits(root.instance(), bound.amounts);
  ReadRun read;
  PriorRun& run = read.run;
  run = {.source = {.kernel = NameText(*log.run), .conditions = log.run->conditions},
         .names = traits.names(),
         .has_guesses = bound.amounts.guess.has_value()};
  std::vector<const EvalRecord*> evals;
  double fastest = 0;
  for (const EvalRecord& eval : log.evals) {
    if (!SaysSomething(eval)) continue;
    evals.push_back(&eval);
    const double ns = LearnedTime(eval);
    if (ns > 0 && (fastest == 0 || ns < fastest)) fastest = ns;
  }
  if (fastest == 0) return read;
  const double worst = CostModel::kWorst * fastest;
  const std::size_t count = std::min(options.most, evals.size());
  std::vector<double> amounts(bound.amounts.count);
  CostModel model(root.instance(), amounts.size(), options.seed, nullptr, bound.amounts.guess);
  std::vector<double> guesses, times;
  for (std::size_t number = 0; number < count; ++number) {
    const EvalRecord& eval = *evals[number * evals.size() / count];
    runtime::Candidate candidate = root;
    ReplayRecord(log, eval, candidate);
    const auto fill = [&] {
      if (bound.amounts.fill) bound.amounts.fill(candidate, amounts);
    };
    if (DroppedBy(fill)) continue;
    const double least = bound.bound ? bound.bound(candidate) : 0;
    const double ns = LearnedTime(eval);
    const double base = LogOfBound(run.has_guesses ? amounts[*bound.amounts.guess] : least);
    const double target = std::log(ns > 0 ? std::min(ns, worst) : worst) - base;
    run.rows.emplace_back(run.names.size());
    traits.Fill(eval.vector, amounts, least, run.rows.back());
    run.targets.push_back(static_cast<float>(target));
    run.bases.push_back(static_cast<float>(base));
    run.is_timed.push_back(ns > 0 && ns < worst);
    if (ns == fastest) run.offset = target;
    if (!options.checks) continue;
    if (number < count / 3) {
      model.Add(eval.vector, amounts, least, eval.path, {}, ns);
    } else if (const auto guess = model.Ask(eval.vector, amounts, least); guess && ns > 0) {
      guesses.push_back(guess->mean);
      times.push_back(ns);
    }
  }
  for (float& target : run.targets) target -= static_cast<float>(run.offset);
  run.source.evaluations = count;
  read.own = RankCorrelation(guesses, times);
  return read;
}

/// How well runs foretell one another, each by what was learned of all others, and themselves.
void PrintCorrelations(const std::vector<PriorRun>& runs, const std::vector<double>& own,
                       std::uint64_t seed) {
  fmt::print("rank correlation of what was measured with what all other kernels and sizes say:\n");
  for (const PriorRun& run : runs) {
    std::vector<PriorRun> others;
    for (const PriorRun& other : runs) {
      if (other.source.kernel != run.source.kernel) others.push_back(other);
    }
    if (others.empty()) continue;
    Random random(seed);
    const Prior prior = LearnPrior(others, random);
    fmt::print("  {:.3f}  {} ({} implementations)\n", RankCorrelation(prior, run),
               run.source.kernel, run.source.evaluations);
  }
  fmt::print("in its own run, what the first third says of the rest:\n");
  for (std::size_t number = 0; number < runs.size(); ++number) {
    fmt::print("  {:.3f}  {}\n", own[number], runs[number].source.kernel);
  }
}

/// Does a prior foretell runs better than these foretell one another, each half the other one? Both
/// as the mean of rank correlations, which are printed.
bool IsBetter(const Prior& usual, const std::vector<PriorRun>& runs, std::uint64_t seed) {
  if (runs.size() < 2 || usual.is_over_guess != runs.front().has_guesses) return false;
  std::array<std::vector<PriorRun>, 2> halves;
  for (std::size_t i = 0; i < runs.size(); ++i) halves[i % 2].push_back(runs[i]);
  double learned = 0, known = 0;
  for (const std::size_t half : {0, 1}) {
    Random random(seed);
    const Prior prior = LearnPrior(halves[1 - half], random);
    for (const PriorRun& run : halves[half]) {
      learned += RankCorrelation(prior, run);
      known += RankCorrelation(usual, run);
    }
  }
  const auto count = static_cast<double>(runs.size());
  fmt::print(
      "rank correlation, in the mean: {:.3f} of half of the runs with the other half, {:.3f} "
      "with the prior that such devices have\n",
      learned / count, known / count);
  return known > learned;
}

int Learn(const LearnOptions& options) {
  if (options.runs.empty()) throw UsageError("learn needs the folders of runs, or their logs");
  if (!options.checks && options.out.empty()) {
    throw UsageError("--no-check goes with --out: without either there is nothing to do");
  }
  if (options.or_usual && options.out.empty()) {
    throw UsageError("--or-usual goes with --out: it says what is written there");
  }
  if (options.most < 1) throw UsageError("--most must be 1 or more");
  std::vector<PriorRun> runs;
  std::vector<double> own;
  std::string device, usual_file;
  for (const std::string& name : options.runs) {
    const Log log = ReadLogAloud(name);
    const std::unique_ptr<Subject> subject = SubjectOf(*log.run);
    const std::string its_class = subject->device_class();
    if (device.empty()) device = its_class;
    usual_file = subject->prior_file();
    if (its_class != device) {
      throw UsageError(
          fmt::format("'{}' is of {}, the runs before it of {}: a prior is of one class of devices",
                      name, its_class, device));
    }
    ReadRun read = Read(log, name, *subject, options);
    if (read.run.rows.empty()) {
      fmt::print("note: nothing was timed in '{}'\n", name);
      continue;
    }
    runs.push_back(std::move(read.run));
    own.push_back(read.own);
  }
  if (runs.empty()) throw UsageError("nothing was timed in any of these runs");
  if (options.checks) PrintCorrelations(runs, own, options.seed);
  std::error_code none;
  if (options.or_usual && std::filesystem::exists(usual_file, none)) {
    const Prior usual = ReadPrior(usual_file);
    if (IsBetter(usual, runs, options.seed)) {
      WriteFile(options.out, PriorText(usual));
      fmt::print("{}: that of {}, as '{}' has it\n", options.out, usual.device, usual_file);
      return 0;
    }
  }
  Random random(options.seed);
  Prior prior = LearnPrior(runs, random);
  prior.device = device;
  if (options.out.empty()) return 0;
  WriteFile(options.out, PriorText(prior));
  fmt::print("{}: for {}, of {} runs\n", options.out, device, runs.size());
  return 0;
}

}  // namespace

void AddLearnCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "learn", "makes a prior of runs: what the cost model of a later search begins with");
  const auto options = std::make_shared<LearnOptions>();
  command->add_option("run", options->runs, "folders of runs, or their logs");
  command->add_option("--out", options->out,
                      "file of the prior; without it only what runs say of one another is printed");
  command->add_option("--most", options->most,
                      "implementations of each run, evenly over its time (default 1500)");
  command->add_option("--seed", options->seed, "seed (default 1)");
  command->add_flag(
      "--or-usual", options->or_usual,
      "write the prior that such devices have where it foretells the runs better than "
      "half of them the other half");
  command->add_flag("!--no-check", options->checks,
                    "only write the prior: what runs say of one another takes as long for each of "
                    "them");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Learn(*options); }; });
}

}  // namespace exh::search
