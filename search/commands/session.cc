// SPDX-License-Identifier: MIT
#include "search/commands/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/system/signals.h"
#include "search/commands/machine/gpu_list.h"
#include "search/commands/parts/version_text.h"
#include "search/descend/choice_order.h"
#include "search/descend/dropped/dropped.h"
#include "search/descend/first.h"
#include "search/descend/order_advice.h"
#include "search/fleet/fleet_evaluator.h"
#include "search/kernel/kernel_subject.h"
#include "search/learn/prior.h"
#include "search/log/decisions.h"
#include "search/log/log_text.h"
#include "search/log/memory/front.h"
#include "search/log/replay.h"
#include "search/log/run_folder.h"
#include "search/log/times/best_time.h"
#include "search/measure/machine.h"
#include "search/report/comparison.h"
#include "search/report/dropped_text.h"
#include "search/report/report.h"
#include "search/report/wrong_case.h"
#include "search/run/explorer.h"
#include "search/run/objective.h"
#include "search/subject/decision_file.h"
#include "search/subject/implementation_files.h"
#include "search/subject/registry.h"
#include "search/subject/winners/logged_winners.h"
#include "search/tree/tree_replay.h"

namespace exh::search {

void SetHowSearched(const SearchOptions& options, bool is_ahead, RunRecord& run) {
  run.seed = options.seed;
  run.objective = options.objective;
  run.policy = options.policy();
  run.topk = options.policy_options.topk;
  run.delta = options.policy_options.delta;
  run.epsilon = ParseShare("--epsilon", options.epsilon);
  run.local = ParseShare("--local", options.local);
  run.screen = options.screen.value_or(is_ahead ? 64 : 32);
}

BeginsWith PriorFor(const Subject& subject, const runtime::Instance& instance,
                    const SearchBound& bound, const RunRecord& header, const std::string& asked) {
  const bool is_auto = asked == "auto";
  if (asked == "none" || header.policy == "random" || header.screen <= 1) return {};
  const std::string file = is_auto ? subject.prior_file() : asked;
  if (is_auto && (file.empty() || !std::filesystem::exists(file))) return {};
  const Prior prior = ReadPrior(file);
  if (!is_auto && prior.device != subject.device_class()) {
    fmt::print("note: '{}' was learned on {}, this is {}\n", file, prior.device,
               subject.device_class());
  }
  return {std::make_shared<const PriorOfSpace>(prior, instance, bound.amounts), PriorName(prior)};
}

std::vector<runtime::Candidate> FirstOf(const RunRecord& header, const Subject& subject,
                                        const runtime::Candidate& root, const ChoiceOrder& order) {
  std::vector<runtime::Candidate> first;
  if (header.policy == "random" || header.local <= 0) return first;
  for (const kernels::Recipe& recipe : subject.Recipes()) {
    Followed followed = Follow(recipe, root, order);
    if (recipe.is_exact && (!followed.implementation || !followed.missed.empty())) {
      const std::string why =
          followed.missed.empty() ? "" : fmt::format(" ({} cannot be as in it)", followed.missed);
      fmt::print(
          "note: the program as it is written down, loops in their order and nothing else, is not "
          "in this space{}:\n      until something else is found to be correct, nobody knows what "
          "is too slow, and the first results may take longer\n",
          why);
      continue;
    }
    if (followed.implementation) first.push_back(*std::move(followed.implementation));
  }
  return first;
}

ExplorerOptions ExplorerOptionsOf(const RunRecord& header, const Subject& subject,
                                  const SearchBound& bound,
                                  std::shared_ptr<const PriorOfSpace> prior,
                                  std::shared_ptr<const Policy> policy) {
  ExplorerOptions options;
  options.seed = header.seed;
  options.slow_factor = subject.slow_factor();
  options.objective = ParseObjective(header.objective);
  options.flops = subject.flops();
  options.policy = std::move(policy);
  options.tree = TreeOptionsOf(header);
  options.resource = bound.resource;
  ProposerOptions& proposer = options.proposer;
  proposer.local_share = header.local;
  proposer.screen = header.screen;
  (header.check.empty() ? proposer.bound : proposer.check) = bound.bound;
  proposer.amounts = bound.amounts;
  proposer.prior = std::move(prior);
  return options;
}

namespace {

RunRecord Header(const Subject& subject, const runtime::Instance& instance,
                 const SearchOptions& options, const ChoiceOrder& order, const Evaluator& evaluator,
                 const std::vector<std::string>& argv) {
  RunRecord run;
  run.tool = ToolName();
  run.started = TimeStamp();
  run.space = instance.space().name;
  run.fingerprint = instance.fingerprint();
  subject.Describe(run);
  run.conditions = evaluator.YardstickText();
  run.machine = MachineOf(evaluator);
  run.flops = subject.flops();
  run.argv = argv;
  run.order = order.names();
  SetHowSearched(options, evaluator.compiles_while_measuring(), run);
  return run;
}

/// Ends of runs in words.
std::string EndText(const Outcome& outcome, const RunRecord& header) {
  const EndRecord& end = outcome.end;
  std::string text = fmt::format("{} evaluations in {:.1f} s ({})", end.evaluations, end.dt,
                                 end.verdicts.empty() ? "none" : CountsText(end.verdicts, 8));
  if (header.space_s > 0) {
    text += fmt::format("; {:.1f} s of them went by while the space was built", header.space_s);
  }
  if (end.verdicts.contains("idle")) text += "; what is idle was not compiled";
  if (end.why == "exhausted") text += "; nothing new was left to find";
  if (end.why == "stuck") text += "; descents no longer get out of dead ends";
  if (end.why == "signal") text += "; interrupted";
  if (end.why == "stop:gap") text += "; the best is near enough to the bound";
  if (end.why == "stop:stale") text += "; nothing better was found for long";
  if (end.why == "stop:bound") text += "; the best is fast enough";
  if (!end.dead_ends.empty()) {
    text += fmt::format("\ndead ends: {}", CountsText(end.dead_ends, 5));
  }
  if (const std::string times = ActivityText(end.seconds); !times.empty()) {
    text += "\n" + times.substr(0, times.size() - 1);
  }
  return text;
}

/// What the phases of one run share.
struct Session {
  const SearchOptions& options;
  const Subject& subject;
  const runtime::Candidate& root;
  const RunRecord& header;
  const std::string& folder;
  const std::string& program;  ///< As this program was called.
  const std::atomic<bool>& interrupted;
  Evaluator& evaluator;
  EventLog& log;
  int jobs = 1;
  const Clock& clock;
  double start = 0;  ///< Of the run, by the clock.
  StopToken& stop;
};

/// The winner's source and its decisions as a file to replay.
void WriteWinner(const Session& session, const std::string& folder, const Winner& winner,
                 const TimeInterval& time) {
  WriteImplementation(
      folder, "best", session.subject, session.header, winner.candidate, winner.path,
      winner.compiled.source,
      fmt::format("Record {} of {}: {}", winner.n, session.folder, IntervalText(time)));
}

/// Who is measured at the end: the best so far, then the other finalists.
std::vector<Winner> FinalistsOf(const Outcome& outcome) {
  std::vector<Winner> finalists = {*outcome.winner};
  for (const Winner& finalist : outcome.finalists) {
    if (finalist.n != finalists.front().n) finalists.push_back(finalist);
  }
  return finalists;
}

/// Lets the finalists race, measures the winner with the yardsticks, and logs what comes out.
Comparison RunFinals(const Session& session, const std::vector<Winner>& finalists) {
  std::vector<Contender> contenders;
  for (const Winner& finalist : finalists) {
    contenders.push_back({fmt::format("record {}", finalist.n), finalist.compiled});
  }
  Comparison comparison = Compare(
      session.evaluator, contenders, session.jobs, [&] { return session.interrupted.load(); },
      &session.stop);
  for (ReferenceRecord& reference : comparison.records) {
    if (reference.verdict == kernels::Verdict::kStopped) continue;  // Nothing is known of it.
    reference.lane = session.evaluator.measures_at();
    session.log.Write(reference);
  }
  if (comparison.rates) session.log.Write(*comparison.rates);
  return comparison;
}

/// What a run found, on the screen, in the log and in its folder. Returns the exit code.
int Conclude(const Session& session, const Outcome& outcome) {
  const bool broken = !outcome.broken.empty();
  fmt::print("{}\n", EndText(outcome, session.header));
  const std::string replay = session.program + " replay";
  fmt::print("{}", WrongText(outcome.failures, replay, session.folder));
  fmt::print("{}", KeepFirstWrong({session.subject, session.header, session.folder, replay,
                                   session.evaluator, session.root},
                                  outcome.failures));
  std::fflush(stdout);
  if (broken) {
    fmt::print(stderr, "search: stopped: {}\n  what was found until then is in {}\n",
               outcome.broken, session.log.path());
  }
  if (!outcome.winner) {
    if (!broken) session.log.Write(outcome.end);
    // What was not looked at proves nothing, unless there is nothing to look at.
    const bool has_looked = outcome.end.evaluations > 0 || outcome.proof.exhausted;
    if (has_looked) fmt::print("{}", ProofText(outcome.proof, {}));
    fmt::print("no implementation was found to be correct{}{}the log is {}\n",
               outcome.failures.empty() ? "; " : ", ", FailuresText(outcome.failures),
               session.log.path());
    return 1;
  }
  // Of several finalists the one that wins the race is the best; it may be another one than the
  // best so far.
  const std::vector<Winner> finalists = FinalistsOf(outcome);
  Comparison comparison;
  constexpr double kLeast = 0.2;  // Seconds; in less nothing is measured twice.
  const bool has_time = session.stop.SecondsLeft() > kLeast;
  const bool has_finals = !broken && !session.interrupted && has_time;
  if (has_finals) {
    fmt::print("finals: {}, measured in turn\n",
               finalists.size() == 1
                   ? std::string("the best and the yardsticks")
                   : fmt::format("a race of {} candidates, then the winner and the yardsticks",
                                 finalists.size()));
    std::fflush(stdout);
    comparison = RunFinals(session, finalists);
  }
  Winner winner = *outcome.winner;
  TimeInterval time = BestTime(winner.ns, nullptr);
  if (comparison.winner >= 0) {
    const auto index = static_cast<std::size_t>(comparison.winner);
    const bool is_another = finalists[index].n != winner.n;
    if (is_another) winner = finalists[index];
    time = BestTime(winner.ns, &comparison.records[index]);
    if (is_another) {
      BestRecord best;
      best.n = winner.n;
      best.dt = session.clock() - session.start;
      best.ns = comparison.records[index].median_ns;
      best.hash = HashText(winner.vector);
      best.no_cut = !CutsByTime(ParseObjective(session.header.objective), winner.workspace_bytes);
      session.log.Write(best);
    }
  }
  Log words;
  words.choices = ChoiceRecords(winner.candidate.instance());
  fmt::print("best: {} (record {}); its decisions, in the order taken:\n{}{}",
             TimeAndRateText(time, session.subject.flops()), winner.n,
             DecisionsInWords(words, winner.path, "  "), BusyText(time, session.header));
  const kernels::Source source = session.evaluator.Emit(winner.candidate);
  fmt::print("{}{}{}", DivisionText(source.across, source.bits_vary),
             MemoryText(source.memory_bytes(), source.workspace_bytes), FrontText(outcome.front));
  std::string outline;
  if (DroppedBy([&] { outline = session.subject.Outline(winner.candidate); })) outline.clear();
  if (!outline.empty()) fmt::print("its loops:\n{}", Indented(outline));
  fmt::print("to go on:\n{}", CommandsText(session.program, session.folder, winner.n));
  fmt::print("{}", ProofText(outcome.proof, time));
  std::fflush(stdout);
  if (broken) return 1;
  WriteWinner(session, session.folder, winner, time);
  if (!session.options.emit.empty()) WriteWinner(session, session.options.emit, winner, time);
  if (has_finals) {
    fmt::print("against the yardsticks ({}, measured in turn with it):\n{}",
               session.evaluator.YardstickText(), session.subject.InWords(comparison));
    fmt::print("{}", SolText(outcome.proof, time, comparison.records));
  } else if (!broken && !session.interrupted) {
    fmt::print("the yardsticks were not measured: nothing was left of the budget\n");
  }
  session.log.Write(outcome.end);
  const std::string failure = FailureOf(comparison, finalists.size());
  if (failure.empty()) return 0;
  fmt::print(stderr, "search: what was best failed its last check, {}\n", failure);
  return 1;
}

/// The lower bound; where what it rests on is not known there is none, and that is said.
SearchBound BoundIfKnown(const Subject& subject, bool is_cold) {
  try {
    return subject.Bound(is_cold, WhichRates::kOfThisMachine);
  } catch (const UsageError& error) {
    fmt::print("note: no lower bound: {}\n", error.what());
    return {};
  }
}

/// Where islands of a run begin, and how the header calls it.
struct BeginsNear {
  std::vector<runtime::Candidate> starts;
  std::vector<std::string> names;
};

/// The winners of `folder` (empty: none) that are nearest to the problem, at its sizes.
BeginsNear WinnersFor(const Subject& subject, const runtime::Candidate& root,
                      const ChoiceOrder& order, const std::string& folder) {
  BeginsNear near;
  const auto* const kernel = dynamic_cast<const KernelSubject*>(&subject);
  if (folder.empty() || kernel == nullptr) return near;
  const Problem& problem = kernel->problem();
  for (const LoggedWinner& winner : NearestWinners(folder, *problem.kernel, problem.sizes,
                                                   problem.device, kIslandsNearWinners)) {
    Followed followed = Follow(Scaled(winner, root.instance()), root, order);
    if (followed.implementation) {
      near.starts.push_back(*std::move(followed.implementation));
      near.names.push_back(winner.name + " " + winner.hash);
    } else {
      fmt::print("note: '{}' leads to no implementation of this space\n", winner.name);
    }
  }
  return near;
}

/// A run that begins, or one that goes on, with everything that the explorer needs.
struct Prepared {
  const Subject& subject;
  const runtime::Candidate& root;
  const ChoiceOrder& order;
  const RunRecord& header;
  const SearchBound& bound;
  std::shared_ptr<const PriorOfSpace> prior;
  const std::vector<runtime::Candidate>& near;  ///< Where islands begin.
  std::shared_ptr<const Policy> policy;
  const std::string& folder;
  Evaluator& evaluator;
  EventLog& log;
  Budget& budget;
  const Log* earlier = nullptr;  ///< What the run did until now; null: nothing.
};

/// The record of a run that goes on.
ResumeRecord Resumed(const Prepared& run, const Invocation& invocation) {
  ResumeRecord record;
  record.dt = run.earlier->last_dt;
  record.started = TimeStamp();
  record.tool = ToolName();
  record.conditions = run.evaluator.YardstickText();
  record.machine = MachineOf(run.evaluator);
  record.argv = invocation.argv;
  return record;
}

/// What --first names, each as far as it is possible.
std::vector<runtime::Candidate> HandedOf(const SearchOptions& options, const Prepared& run) {
  std::vector<runtime::Candidate> handed;
  for (const std::string& file : options.first) {
    Followed followed = Follow(WishesOf(ReadDecisionFile(file)), run.root, run.order);
    if (followed.implementation) {
      handed.push_back(*std::move(followed.implementation));
    } else {
      fmt::print("note: '{}' leads to no implementation of this space\n", file);
    }
  }
  return handed;
}

/// What other searches found out, with --cache.
std::optional<VerdictCache> VerdictsOf(const SearchOptions& options, const Prepared& run,
                                       const Invocation& invocation) {
  const std::string folder = options.cache_folder();
  if (folder.empty()) return std::nullopt;
  const std::string program = ProgramDigest(invocation.plugins);
  if (program.empty()) {
    fmt::print("note: which programs are wrong is kept by no one: this program cannot be read\n");
    return std::nullopt;
  }
  RunRecord now = run.header;
  now.machine = MachineOf(run.evaluator);  // Of a run that goes on, it may be another one.
  return VerdictCache(folder + "/verdicts", VerdictContext(now, program));
}

/// Searches, and says what came of it. Returns the exit code.
int Explore(const SearchOptions& options, const Invocation& invocation, const Prepared& run) {
  Budget& budget = run.budget;
  const Clock& clock = budget.clock;
  ExplorerOptions explorer_options =
      ExplorerOptionsOf(run.header, run.subject, run.bound, run.prior, run.policy);
  // Who waits for compilers of other machines needs no core.
  constexpr int kOfAWorker = 4;
  const int workers = static_cast<int>(options.workers.size());
  explorer_options.jobs = options.jobs.value_or(std::max(NumCores(), kOfAWorker * workers));
  // Where compilers run ahead, some take a hundred times as long as others; what is measured is
  // taken in order, and must not wait for one of them.
  const int ahead = run.evaluator.compiles_while_measuring() ? 16 : 2;
  explorer_options.batch = std::max(8, ahead * explorer_options.jobs);
  explorer_options.finalists = run.evaluator.finalists();
  explorer_options.proposer.near.islands.starts = run.near;
  // On a processor nothing runs beside what is measured. With one thread the log says all.
  explorer_options.proposer.learns_beside =
      explorer_options.jobs > 1 && run.evaluator.compiles_while_measuring();
  explorer_options.first = HandedOf(options, run);
  explorer_options.handed = explorer_options.first.size();
  for (runtime::Candidate& first : FirstOf(run.header, run.subject, run.root, run.order)) {
    explorer_options.first.push_back(std::move(first));
  }
  const std::optional<VerdictCache> verdicts = VerdictsOf(options, run, invocation);
  explorer_options.verdicts = verdicts ? &*verdicts : nullptr;
  explorer_options.start = budget.start;
  explorer_options.reserve = budget.Reserve(run.subject.most_reserve_s());
  explorer_options.stop = &budget.stop;
  ProgressReporter progress(ParseProgress(options.progress, stdout), stdout, TerminalDraws());
  Explorer explorer(run.root, run.order, run.evaluator, budget.stopper, run.log, progress, clock,
                    explorer_options);
  double before = 0;
  if (run.earlier != nullptr) {
    explorer.Restore(*run.earlier);
    before = run.earlier->last_dt;
    run.log.Keep(run.earlier->tail);
    // Killed at its very beginning, it had not written them all; or they were damaged.
    const std::vector<ChoiceRecord>& known = run.earlier->choices;
    const std::vector<ChoiceRecord> choices = ChoiceRecords(run.root.instance());
    for (std::size_t index = 0; index < choices.size(); ++index) {
      if (index >= known.size() || known[index].index < 0) run.log.Write(choices[index]);
    }
    run.log.Write(Resumed(run, invocation));
  }
  const double start = budget.start - before;
  Outcome outcome = explorer.Run();
  outcome.proof.measured = run.bound.measured;
  outcome.proof.is_stated = !run.subject.writes_code();

  const Session session{options,
                        run.subject,
                        run.root,
                        run.header,
                        run.folder,
                        invocation.program,
                        budget.interrupted,
                        run.evaluator,
                        run.log,
                        explorer_options.jobs,
                        clock,
                        start,
                        budget.stop};
  const int code = Conclude(session, outcome);
  fmt::print("{}", DroppedText(outcome.failures, outcome.failed_checks, session.program, run.header,
                               session.folder, session.subject.writes_code()));
  std::fflush(stdout);
  return HaveChecksFailed(outcome.failures, outcome.failed_checks) ? kChecksFailed : code;
}

/// What measures a run, as the command line wants it.
std::unique_ptr<Evaluator> EvaluatorOf(const Subject& subject, const SearchOptions& options,
                                       bool is_cold, Budget& budget) {
  if (!options.workers.empty()) {
    WorkerOptions fleet;
    fleet.commands = options.workers;
    fleet.cold = is_cold;
    fleet.stop = &budget.stop;
    fleet.say = [](const std::string& note) {
      fmt::print("note: {}\n", note);
      std::fflush(stdout);
    };
    return MakeFleetEvaluator(subject, fleet);
  }
  EvaluatorOptions wanted{options.jobs.value_or(NumCores()), options.problem.gpu.value_or(0),
                          is_cold, &budget.stop, options.under()};
  wanted.cache = options.cache_folder();
  if (!options.gpus.empty()) {
    if (subject.device() == nullptr) {
      throw UsageError(fmt::format("--gpus {}: this runs on no GPU; leave it out", options.gpus));
    }
    const std::vector<int> gpus = ParseGpusOf(options.gpus, *subject.device());
    wanted.gpu = gpus.front();
    wanted.more_gpus.assign(gpus.begin() + 1, gpus.end());
  }
  return subject.MakeEvaluator(wanted);
}

/// What the compiler gets wrong.
void SayNotes(const Evaluator& evaluator) {
  for (const std::string& note : evaluator.Notes()) fmt::print("note: {}\n", note);
}

/// Other conditions than those that the run began with.
void SayConditions(const Log& log, const Evaluator& evaluator) {
  const std::string now = evaluator.YardstickText();
  if (now != log.run->conditions) {
    fmt::print("note: until now measured with {}\n      from now on with {}\n", log.run->conditions,
               now);
  }
  // Older logs do not say it.
  if (log.run->machine.empty()) return;
  const std::string changed = MachineDifferences(log.run->machine, MachineOf(evaluator));
  if (!changed.empty()) fmt::print("note: the machine is not as it was:\n{}", Indented(changed));
}

}  // namespace

Budget::Budget(const SearchOptions& options, const std::atomic<bool>& is_interrupted)
    : interrupted(is_interrupted), clock(SteadyClock()), start(clock()), stop(&is_interrupted) {
  stopper.Add(std::make_unique<SignalStopper>(&is_interrupted));
  AddBudgets(options, clock, stopper);
  total = stopper.SecondsLeft();
  stop.StopIn(total + kGrace);
}

int WithinBudget(const std::function<int()>& work) {
  try {
    return work();
  } catch (const Interrupted& error) {
    constexpr std::string_view kSaid = "the budget was over";
    const std::string what = error.what();
    if (WasInterrupted() || what.starts_with(kSaid)) throw;
    throw Interrupted(fmt::format(
        "{} before anything was tried ({}); a longer one leaves time for it", kSaid, what));
  }
}

double Budget::Reserve(double most) const {
  constexpr double kPart = 0.2;
  return std::isfinite(total) ? std::min(kPart * total, most) : 0;
}

std::unique_ptr<EarlierRun> OpenEarlierRun(const SearchOptions& options) {
  const std::string path = LogPath(options.resume);
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown) && !unknown) {
    throw UsageError(fmt::format("no log at '{}': --resume takes the folder of a run", path));
  }
  std::unique_ptr<EarlierRun> run(
      new EarlierRun{path, EventLog::Reopen(path), ReadLog(options.resume)});
  if (options.durable) run->log.MakeDurable();
  CheckResumable(run->earlier, path);
  return run;
}

int BeginRun(const Subject& subject, const SearchOptions& options, const Invocation& invocation,
             Budget& budget) {
  const std::shared_ptr<const Policy> policy = PolicyOf(options.policy(), options.policy_options);
  const BoundUse use = options.bound_use();
  const runtime::Candidate root = subject.root();
  const ChoiceOrder order = subject.order(options.order, root);
  for (const std::string& note : subject.notes()) fmt::print("note: {}\n", note);

  RunFolder run_folder(options.out, subject.name());
  const std::string& folder = run_folder.path();
  // While compilers and devices get ready.
  OrderAdvice advice(root, order);
  const std::unique_ptr<Evaluator> evaluator =
      EvaluatorOf(subject, options, options.cold(), budget);
  if (const std::string text = advice.Text(); !text.empty()) fmt::print("note: {}\n", text);
  SayNotes(*evaluator);
  EventLog log(run_folder.log_path());
  if (options.durable) log.MakeDurable();
  const SearchBound bound =
      use == BoundUse::kNone ? SearchBound() : BoundIfKnown(subject, options.cold());
  RunRecord header = Header(subject, root.instance(), options, order, *evaluator, invocation.argv);
  (use == BoundUse::kCut ? header.bound : header.check) = bound.name;
  const BeginsWith begins = PriorFor(subject, root.instance(), bound, header, options.prior);
  header.prior = begins.name;
  const BeginsNear near = WinnersFor(subject, root, order, options.winners_folder());
  header.winners = near.names;
  log.Write(header);
  for (const ChoiceRecord& choice : ChoiceRecords(root.instance())) log.Write(choice);
  run_folder.Keep();
  return Explore(options, invocation,
                 {subject, root, order, header, bound, begins.prior, near.starts, policy, folder,
                  *evaluator, log, budget});
}

int ResumeRun(const Subject& subject, const SearchOptions& options, const Invocation& invocation,
              Budget& budget, EventLog& log, const Log& earlier) {
  const RunRecord& header = *earlier.run;
  const std::string folder = std::filesystem::path(log.path()).parent_path().string();
  const runtime::Candidate root = subject.root();
  CheckSameSpace(earlier, log.path(), root.instance());
  const ChoiceOrder order =
      ChoiceOrder::Parse(fmt::format("{}", fmt::join(header.order, ",")), root.instance());
  const SearchBound bound = header.check.empty()
                                ? BoundOf(subject, header)
                                : subject.Bound(header.is_cold(), WhichRates::kOfThisMachine);
  const std::unique_ptr<Evaluator> evaluator =
      EvaluatorOf(subject, options, header.is_cold(), budget);
  SayConditions(earlier, *evaluator);
  SayNotes(*evaluator);
  const std::string asked = header.prior.empty() ? "none" : options.prior;
  const BeginsWith begins = PriorFor(subject, root.instance(), bound, header, asked);
  if (begins.name != header.prior) {
    fmt::print("note: until now the cost model began with '{}', from now on with '{}'\n",
               header.prior, begins.name);
  }
  const BeginsNear near = WinnersFor(
      subject, root, order, header.winners.empty() ? std::string() : options.winners_folder());
  if (near.names != header.winners) {
    fmt::print("note: until now islands began near '{}', from now on near '{}'\n",
               fmt::join(header.winners, "', '"), fmt::join(near.names, "', '"));
  }
  return Explore(options, invocation,
                 {subject, root, order, header, bound, begins.prior, near.starts,
                  PolicyOf(header.policy, {header.topk, header.delta}), folder, *evaluator, log,
                  budget, &earlier});
}

namespace {

/// What a run that goes on has done.
void SayResumed(const std::string& folder, const Log& log) {
  std::string text = fmt::format("{} goes on after {:.1f} s: {} evaluations", folder, log.last_dt,
                                 log.evals.size());
  if (log.BestTime() > 0) {
    text += fmt::format(", best {} (record {})", FormatTime(log.BestTime()), log.bests.back().n);
  }
  fmt::print("{}{}\n", text, log.cut_off ? "; a line that was cut off is gone" : "");
  std::fflush(stdout);
}

}  // namespace

int ResumeAnyRun(const CLI::App& app, const SearchOptions& options, const Invocation& invocation) {
  CheckRunOptions(options);
  const auto run = OpenEarlierRun(options);
  const RunRecord& header = *run->earlier.run;
  const std::atomic<bool>& interrupted = ListenForSignals();
  Budget budget(options, interrupted);
  const std::string folder = std::filesystem::path(run->path).parent_path().string();
  return WithinBudget([&] {
    const std::unique_ptr<Subject> subject =
        SubjectOf(header, {MemoryFor(options.problem.memory), &budget.stop});
    RefuseContradictions(app, options, header, *subject);
    SayResumed(folder, run->earlier);
    return ResumeRun(*subject, options, invocation, budget, run->log, run->earlier);
  });
}

}  // namespace exh::search
