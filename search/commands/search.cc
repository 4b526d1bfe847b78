// SPDX-License-Identifier: MIT
//
// `search --kernel …`: a run from the command line to the commands that go on from it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/candidate_bound.h"
#include "search/choice_order.h"
#include "search/commands/command.h"
#include "search/comparison.h"
#include "search/cpu_evaluator.h"
#include "search/decision_file.h"
#include "search/decisions.h"
#include "search/error.h"
#include "search/explorer.h"
#include "search/log_text.h"
#include "search/make_evaluator.h"
#include "search/numbers.h"
#include "search/report.h"
#include "search/run_folder.h"
#include "search/signals.h"
#include "search/suggest.h"
#include "search/tree_replay.h"

namespace exh::search {
namespace {

struct SearchOptions {
  ProblemOptions problem;
  std::vector<std::string> budgets, stops;
  std::string policy = "tag";
  PolicyOptions policy_options;
  std::string epsilon = "1%", local = "70%";
  std::string order, out, emit, progress = "auto";
  std::uint64_t seed = 1;
  std::optional<int> jobs;
  int gpu = 0;
  std::string l2 = "warm";
  bool cold() const {
    if (l2 != "warm" && l2 != "cold")
      throw UsageError(UnknownName("state of L2", l2, {"warm", "cold"}));
    return l2 == "cold";
  }
};

constexpr const char* kDefaultBudget = "60s";

/// `1%`: 0.01. `option` is what it belongs to.
double ParseShare(const std::string& option, const std::string& text) {
  const auto percent =
      text.ends_with('%') ? ParseReal(text.substr(0, text.size() - 1)) : std::nullopt;
  if (!percent || *percent < 0 || *percent >= 100) {
    throw UsageError(fmt::format("bad {} '{}'; legal: 0% or more, below 100%", option, text));
  }
  return *percent / 100;
}

/// The policy of the tree; null for none. Throws UsageError.
std::shared_ptr<const Policy> PolicyOf(const SearchOptions& options) {
  const int most = 1000;
  if (options.policy_options.topk < 1 || options.policy_options.topk > most) {
    throw UsageError(fmt::format("--topk must be 1 to {}", most));
  }
  if (options.policy_options.delta <= 0) throw UsageError("--delta must be above zero");
  return MakePolicy(options.policy, options.policy_options);
}

RunRecord Header(const Problem& problem, const SearchOptions& options, const ChoiceOrder& order,
                 const Evaluator& evaluator, const std::vector<std::string>& argv) {
  RunRecord run;
  run.tool = fmt::format("search {}", kVersion);
  run.started = TimeStamp();
  run.space = problem.task.instance->space().name;
  run.fingerprint = problem.task.instance->fingerprint();
  run.kernel = problem.kernel->name();
  run.sizes = problem.sizes;
  run.device = problem.device.name;
  run.decisions = problem.space();
  run.limits = DeviceLimits(problem.device);
  run.conditions = evaluator.YardstickText();
  run.seed = options.seed;
  run.flops = problem.task.flops;
  run.argv = argv;
  run.order = order.names();
  run.policy = options.policy;
  run.topk = options.policy_options.topk;
  run.delta = options.policy_options.delta;
  run.epsilon = ParseShare("--epsilon", options.epsilon);
  run.local = ParseShare("--local", options.local);
  return run;
}

void AddBudgets(const SearchOptions& options, const Clock& clock, AnyStopper& stopper) {
  for (const std::string& budget : options.budgets) stopper.Add(ParseBudget(budget, clock));
  if (options.budgets.empty()) stopper.Add(ParseBudget(kDefaultBudget, clock));
  for (const std::string& stop : options.stops) stopper.Add(ParseStop(stop));
}

/// Ends of runs in words.
std::string EndText(const Outcome& outcome) {
  const EndRecord& end = outcome.end;
  std::string text = fmt::format("{} evaluations in {:.1f} s ({})", end.evaluations, end.dt,
                                 end.verdicts.empty() ? "none" : CountsText(end.verdicts, 8));
  if (end.why == "exhausted") text += "; nothing new was left to find";
  if (end.why == "stuck") text += "; descents no longer get out of dead ends";
  if (end.why == "signal") text += "; interrupted";
  if (end.why == "stop:gap") text += "; the best is near enough to the bound";
  if (end.why == "stop:stale") text += "; nothing better was found for long";
  if (end.why == "stop:bound") text += "; the best is fast enough";
  if (!end.dead_ends.empty()) {
    text += fmt::format("\ndead ends: {}", CountsText(end.dead_ends, 5));
  }
  return text;
}

/// What the phases of one run share.
struct Session {
  const SearchOptions& options;
  const Problem& problem;
  const RunRecord& header;
  const std::string& folder;
  const std::string& program;  ///< As this program was called.
  const std::atomic<bool>& interrupted;
  Evaluator& evaluator;
  EventLog& log;
  int jobs = 1;
  const Clock& clock;
  double start = 0;  ///< Of the run, by the clock.
};

/// The winner's source and its decisions as a file to replay.
void WriteWinner(const Session& session, const std::string& folder, const Winner& winner) {
  MakeFolder(folder);
  const bool is_cuda = session.problem.device.language == "cuda";
  WriteFile(folder + (is_cuda ? "/best.cu" : "/best.cc"), winner.compiled.source);
  const std::string comment =
      fmt::format("Record {} of {}: {}", winner.n, session.folder, FormatTime(winner.ns));
  WriteFile(
      folder + "/best.replay",
      WriteDecisionFile(session.header, *session.problem.task.instance, winner.path, comment));
}

/// Measures the finalists in turn with the yardsticks, and logs what comes out.
Comparison RunFinals(const Session& session, const std::vector<Winner>& finalists) {
  std::vector<Contender> contenders;
  for (const Winner& finalist : finalists) {
    contenders.push_back({fmt::format("record {}", finalist.n), finalist.compiled});
  }
  Comparison comparison = Compare(session.evaluator, contenders, session.jobs,
                                  [&] { return session.interrupted.load(); });
  for (const ReferenceRecord& reference : comparison.records) session.log.Write(reference);
  if (comparison.rates) session.log.Write(*comparison.rates);
  return comparison;
}

/// What a run found, on the screen, in the log and in its folder. Returns the exit code.
int Conclude(const Session& session, const Outcome& outcome) {
  const bool broken = !outcome.broken.empty();
  fmt::print("{}\n", EndText(outcome));
  std::fflush(stdout);
  if (broken) {
    fmt::print(stderr, "search: stopped: {}\n  what was found until then is in {}\n",
               outcome.broken, session.log.path());
  }
  if (!outcome.winner) {
    if (!broken) session.log.Write(outcome.end);
    fmt::print("{}", ProofText(outcome.proof, 0));
    fmt::print("no implementation was found to be correct; the log is {}\n", session.log.path());
    return outcome.end.why == "signal" ? 0 : 1;
  }
  // Of several finalists the best of the finals wins; it may be another one than the best so far.
  std::vector<Winner> finalists = outcome.finalists;
  if (finalists.empty()) finalists = {*outcome.winner};
  Comparison comparison;
  const bool has_finals = !broken && !session.interrupted;
  if (has_finals && finalists.size() > 1) {
    fmt::print("finals: {} candidates and the yardsticks, measured in turn\n", finalists.size());
    std::fflush(stdout);
    comparison = RunFinals(session, finalists);
  }
  Winner winner = *outcome.winner;
  if (comparison.winner >= 0) {
    winner = finalists[static_cast<std::size_t>(comparison.winner)];
    winner.ns = comparison.records[static_cast<std::size_t>(comparison.winner)].median_ns;
    if (winner.n != outcome.winner->n) {
      BestRecord best;
      best.n = winner.n;
      best.dt = session.clock() - session.start;
      best.ns = winner.ns;
      best.hash = HashText(winner.vector);
      session.log.Write(best);
    }
  }
  Log words;
  words.choices = ChoiceRecords(*session.problem.task.instance);
  fmt::print("best: {}, {} (record {}); its decisions, in the order taken:\n{}",
             FormatTime(winner.ns), FormatRate(session.problem.task.flops, winner.ns), winner.n,
             DecisionsInWords(words, winner.path, "  "));
  fmt::print("its loops:\n{}", Indented(kernels::Outline(session.problem.task, winner.candidate)));
  fmt::print("to go on:\n{}", CommandsText(session.program, session.folder, winner.n));
  fmt::print("{}", ProofText(outcome.proof, outcome.winner->ns));
  std::fflush(stdout);
  if (broken) return 1;
  WriteWinner(session, session.folder, winner);
  if (!session.options.emit.empty()) WriteWinner(session, session.options.emit, winner);
  if (has_finals) {
    fmt::print("against the yardsticks ({}, measured in turn):\n",
               session.evaluator.YardstickText());
    std::fflush(stdout);
    if (finalists.size() == 1) comparison = RunFinals(session, finalists);
    fmt::print("{}", ComparisonText(session.problem, comparison));
  }
  session.log.Write(outcome.end);
  return 0;
}

/// A run that cannot begin leaves no folder behind.
std::unique_ptr<Evaluator> MakeEvaluatorFor(const Problem& problem, const SearchOptions& options,
                                            const std::string& folder) {
  try {
    return MakeEvaluator(problem, {options.jobs.value_or(NumCores()), options.gpu, options.cold()});
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(folder, ignored);  // Only if it is empty.
    throw;
  }
}

/// The lower bound of a search with a tree, where the device's rates are known; otherwise nothing
/// is cut, and that is said.
SearchBound BoundOf(const Problem& problem, bool cold) {
  try {
    return MakeSearchBound(problem, cold ? models::CacheState::kCold : models::CacheState::kWarm);
  } catch (const UsageError& error) {
    fmt::print("note: no lower bound: {}\n", error.what());
    return {};
  }
}

int Search(const SearchOptions& options, const Invocation& invocation) {
  const ProgressMode mode = ParseProgress(options.progress, stdout);
  const Clock clock = SteadyClock();
  if (options.jobs && *options.jobs < 1) throw UsageError("--jobs must be 1 or more");
  {
    AnyStopper checked;  // Mistakes in budgets show before anything is built.
    AddBudgets(options, clock, checked);
    ParseShare("--epsilon", options.epsilon);
    ParseShare("--local", options.local);
  }
  const std::shared_ptr<const Policy> policy = PolicyOf(options);
  const Problem problem = MakeProblem(options.problem);
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::Parse(options.order, root.instance());
  for (const std::string& note : problem.task.notes) fmt::print("note: {}\n", note);

  const std::atomic<bool>& interrupted = ListenForSignals();
  const std::string folder = MakeRunFolder(options.out, std::string(problem.kernel->name()));
  const std::unique_ptr<Evaluator> evaluator = MakeEvaluatorFor(problem, options, folder);
  EventLog log(folder + "/log.jsonl");
  const SearchBound bound = policy ? BoundOf(problem, options.cold()) : SearchBound();
  RunRecord header = Header(problem, options, order, *evaluator, invocation.argv);
  header.bound = bound.name;
  log.Write(header);
  for (const ChoiceRecord& choice : ChoiceRecords(root.instance())) log.Write(choice);

  ExplorerOptions explorer_options;
  explorer_options.seed = options.seed;
  explorer_options.jobs = options.jobs.value_or(NumCores());
  // Where compilers run ahead, some take a hundred times as long as others; what is measured is
  // taken in order, and must not wait for one of them.
  const int ahead = evaluator->compiles_while_measuring() ? 16 : 2;
  explorer_options.batch = std::max(4, ahead * explorer_options.jobs);
  explorer_options.slow_factor = SlowFactor(problem.device);
  explorer_options.flops = problem.task.flops;
  explorer_options.finalists = evaluator->finalists();
  explorer_options.policy = policy;
  explorer_options.tree = TreeOptionsOf(header);
  explorer_options.local_share = header.local;
  explorer_options.bound = bound.bound;
  explorer_options.resource = bound.resource;
  AnyStopper stopper;
  stopper.Add(std::make_unique<SignalStopper>(&interrupted));
  AddBudgets(options, clock, stopper);
  ProgressReporter progress(mode, stdout);
  Explorer explorer(root, order, *evaluator, stopper, log, progress, clock, explorer_options);
  const double start = clock();
  const Outcome outcome = explorer.Run();

  const Session session{options,
                        problem,
                        header,
                        folder,
                        invocation.program,
                        interrupted,
                        *evaluator,
                        log,
                        explorer_options.jobs,
                        clock,
                        start};
  return Conclude(session, outcome);
}

}  // namespace

void AddSearchCommand(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<SearchOptions>();
  AddProblemOptions(app, options->problem);
  app.add_option("--budget", options->budgets,
                 "60s, 5m, 2h, evals=500; the first of several to be used up ends the run")
      ->allow_extra_args(false);
  app.add_option(
         "--stop", options->stops,
         "gap=10% (best to bound), stale=3000 (evaluations without a new best), bound=12us; "
         "besides the budget")
      ->allow_extra_args(false);
  app.add_option("--policy", options->policy,
                 "how the tree is searched: tag (default), uct, bound, uniform; random: no tree");
  app.add_option("--topk", options->policy_options.topk,
                 "of tag: so many of the best evaluations count (default 10)");
  app.add_option("--delta", options->policy_options.delta,
                 "of tag: larger is greedier (default 1)");
  app.add_option("--local", options->local,
                 "share of descents near the best implementations so far (default 70%; 0%: the "
                 "tree alone)");
  app.add_option("--epsilon", options->epsilon,
                 "what cannot be faster than the best by more is cut (default 1%)");
  app.add_option("--seed", options->seed, "seed of all random choices (default 1)");
  app.add_option("--out", options->out, "folder of the run (default runs/<kernel>-<time>)");
  app.add_option("--jobs", options->jobs, "compilers at once (default: cores)");
  app.add_option("--order", options->order, "choices in the order they are decided: size,dim_kind");
  app.add_option("--progress", options->progress, "auto, plain or none");
  app.add_option("--gpu", options->gpu, "which GPU, for devices that are one (default 0)");
  app.add_option("--l2", options->l2,
                 "inputs of GPU kernels are in L2 (warm, default) or not (cold)");
  app.add_option("--emit", options->emit, "folder for the winner's source");
  app.callback([&app, options, &invocation] {
    if (!app.get_subcommands().empty()) return;
    invocation.run = [options, &invocation] { return Search(*options, invocation); };
  });
}

}  // namespace exh::search
