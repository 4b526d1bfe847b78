// SPDX-License-Identifier: MIT
//
// Explorer: the loop of a search. One iteration has four phases, numbered here and in explorer.cc:
//
//   1. Descend   A policy selects a prefix in the tree, and a rollout makes an implementation of it
//                (without a policy: random descents from the root). These fill a batch;
//                implementations that were seen before (same decision vector, or same source
//                without comments) are dropped, and the tree is told what they were.
//   2. Compile   The batch, in parallel. No candidate is measured meanwhile.
//   3. Measure   One by one, while nothing compiles. Every verdict is logged and backed up as it
//                comes.
//   4. Confirm   A candidate that may beat the best is checked again and measured in turn with it
//                (duel.h); it is the new best only if it is correct and faster side by side. One
//                that is below its own bound is measured again, too: it is impossible, and never
//                the best; or the first time was an accident.
//
// A run with a tree begins with implementations that are known to be decent (first.h), one by one
// until one of them is correct.
//
// Where compilers do not disturb what is measured (a GPU), phases 1 and 2 run ahead instead: some
// candidates compile while the oldest one is measured, and the order of everything else is the
// same. A candidate that may run for ever (Source::careful) goes through phases 2 and 3 twice: its
// trial is compiled and tried, and only one that ended in time is compiled as it is, and waits
// until a whole window of others had their turn (or, with a tree, until it is compiled).
//
// Without compilers that run ahead, descents happen in one thread, in an order that nothing but the
// seed decides, so the same seed and the same times give the same log. With them what is selected
// depends on who comes first: then the log says in which order the tree took its events, and the
// same tree comes of it again (tree_replay.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/stop.h"
#include "search/descend/bound_function.h"
#include "search/log/event_log.h"
#include "search/log/log_reader.h"
#include "search/measure/duel.h"
#include "search/measure/evaluator.h"
#include "search/report/progress.h"
#include "search/report/proof.h"
#include "search/report/report.h"
#include "search/run/proposer.h"
#include "search/run/stopper.h"
#include "search/tree/policy.h"
#include "search/tree/tree_search.h"

namespace exh::search {

struct ExplorerOptions {
  std::uint64_t seed = 1;
  int jobs = 1;            ///< Compilers at once.
  int batch = 4;           ///< Implementations per iteration.
  double slow_factor = 4;  ///< A candidate this much slower than the best may be stopped early.
  /// One whose instructions take this much longer than the best is not compiled; 0: all are.
  double idle_factor = 20;
  /// Seconds for which nothing but one of the first implementations is compiled, on a GPU.
  double first_patience_s = 3;
  int max_broken = 20;        ///< So many broken evaluations in a row end the run.
  int max_duplicates = 1000;  ///< So many duplicates in a row: nothing new is left to find.
  int finalists = 1;          ///< So many of the best are kept to be measured against each other.
  double flops = 0;           ///< Of one run of the kernel, for the status line.
  /// How the tree is searched; null: there is none, and descents are random.
  std::shared_ptr<const Policy> policy = nullptr;
  TreeOptions tree = {};
  ProposerOptions proposer = {};
  ResourceFunction resource = {};  ///< What a bound rests on. May be empty.
  /// What the run begins with: implementations, the most promising first. Only with a tree.
  std::vector<runtime::Candidate> first = {};
  /// By the clock; nothing: Run() is the beginning.
  std::optional<double> start = {};
  double reserve = 0;  ///< Seconds of the time budget that are for what follows the search.
  /// The evaluator ends what is in flight when it is stopped, which the explorer sees to: at the
  /// end of the search, or kGrace seconds after it as long as nothing was correct. Null: nothing
  /// ends what is in flight.
  StopToken* stop = nullptr;
};

/// What a run takes at most beyond its time budget, in seconds.
inline constexpr double kGrace = 1.5;

/// The best implementation so far.
struct Winner {
  std::uint64_t n = 0;  ///< Its number in the log.
  double ns = 0;        ///< As in its BestRecord.
  runtime::Candidate candidate;
  Path path;
  std::string vector;
  kernels::Compiled compiled;  ///< Still there to be run again.
  bool is_restored = false;  ///< Of a run that goes on: only the source of `compiled` is there yet.
  double bound = 0;          ///< Of its evaluation.
};

struct Outcome {
  EndRecord end;
  std::optional<Winner> winner;
  /// The best by their first measurement, best first, the winner among them; empty when
  /// ExplorerOptions::finalists is 1.
  std::vector<Winner> finalists;
  Proof proof;
  /// What was not correct, most frequent first.
  std::vector<Failure> failures;
  /// Not empty: the environment failed (`end.why` is "broken"), and this is what it said.
  std::string broken;
};

/// Is this a mistake of the model: below its bound when it was measured again, and right in a full
/// check?
bool IsViolation(const EvalRecord& record);

class Explorer {
 public:
  /// All references outlive the explorer. `root` is a fixpoint.
  Explorer(const runtime::Candidate& root, const ChoiceOrder& order, Evaluator& evaluator,
           const Stopper& stopper, EventLog& log, ProgressReporter& reporter, Clock clock,
           const ExplorerOptions& options);

  /// Goes on where the log of a run ends: what it evaluated is known and not evaluated again, and
  /// counts, best and tree are those of its last complete line. Random numbers are others than any
  /// before. Only before Run(), with the root, order, bound and options of that run. Throws Error
  /// when the log does not fit them. Writes nothing.
  void Restore(const Log& log);

  /// Searches until the stopper says so or nothing new is found. The caller writes the `end` record
  /// after whatever it wants to log before it. An environment that fails (a full disk) ends the
  /// run; what was found until then is in the outcome.
  Outcome Run();

 private:
  /// A candidate whose trial ended in time.
  struct Tried {
    std::uint64_t due = 0;  ///< Number of the attempt before which it is measured, without a tree.
    Entry entry;
    std::future<kernels::Compiled> compiled;
  };

  /// Of Restore().
  void RestoreCounts(const Log& log);
  void RestoreBest(const Log& log);
  void NoteUnwrittenViolation(const Log& log);
  Winner WinnerOf(const Log& log, const EvalRecord& eval, double ns);
  /// What the restored run was about to write when it was killed.
  void TakeUp();
  /// Restored winners are compiled when the search is over: most of them will have been beaten.
  void CompileRestored();

  /// Evaluates what the run begins with, until something is correct.
  void TryFirst();
  void TryFirstAhead(Entry entry);
  void Iterate();
  void RunAhead();  ///< The same with compilers that run beside phases 3 and 4.
  bool Stopped();
  std::optional<std::string> StopReason() const;
  bool Interrupted();
  std::uint64_t BatchSize() const;
  void TakeBackEnd(const std::vector<Entry>& batch);
  std::vector<Entry> Descend();            // phase 1, without a tree
  std::vector<Entry> DescendAndCompile();  // phases 1 and 2, with a tree
  /// Of descent number `number`: each draws from a stream of its own.
  std::uint64_t SeedOf(std::uint64_t number) const;
  bool Accept(const Attempt& attempt);
  bool AcceptFromTree(const Attempt& attempt);
  void Try(Entry& entry, std::uint64_t due);
  std::deque<Tried>::iterator NextTried();
  void MeasureTried(std::deque<Tried>::iterator which, Effort effort = Effort::kQuick);
  void Compile(std::vector<Entry>& batch);  // phase 2
  /// Compiles a candidate, or its trial, unless it is idle. May be called from many threads.
  void CompileOne(Entry& entry);
  void Measure(Entry& entry, Effort effort = Effort::kQuick);  // phase 3
  double Cap() const;
  void SetIdleLimit();
  /// May something with this time be the best?
  bool MayBeBest(double ns) const;
  /// Logs what came of a candidate, and what that changes.
  void Record(Entry& entry, const kernels::Measurement& measurement);
  struct Confirmation {
    kernels::Verdict verdict;  ///< kStopped: the run ends, and nothing is known.
    bool is_best = false;
  };
  /// Measures again, and adds what comes out to the record.
  Confirmation Confirm(const Entry& entry, EvalRecord& record);  // phase 4
  Confirmation ConfirmAlone(const Entry& entry, EvalRecord& record);
  /// The best, ready to be measured; false: it is not.
  bool HasLibrary(Winner& winner);
  /// The best so far is faster than was known.
  void Improve(double ns);
  /// What the best takes now says how busy the machine is.
  void WatchMachine();
  void NoteSlowdown(double slowdown);
  void NoteFailure(const EvalRecord& record);
  /// Until when what is in flight is waited for.
  void SetDeadline();
  /// Waits until candidates can be measured; false: the run ends before.
  bool AwaitEvaluator();
  void NoteDeadEnd(const DeadEnd& dead_end);
  void NoteBroken(const EvalRecord& record, kernels::Verdict verdict);
  /// Notes a time below what the model says that nothing is faster than.
  void CheckBound(const runtime::Candidate& candidate, const EvalRecord& record);
  void NoteViolation(const ViolationRecord& violation);
  static Winner WinnerOf(const Entry& entry, std::uint64_t n, double ns) {
    return {n, ns, entry.candidate, entry.path, entry.vector, entry.compiled, false, entry.bound};
  }
  void Promote(Winner winner);
  void WriteBest();
  void AddFinalist(Winner finalist);
  /// Lets the files go of what nobody will measure again.
  void Release(const std::string& vector, const kernels::Compiled& compiled);
  void ShowStatus(bool news);
  void Prove();
  Progress progress() const;
  double Elapsed() const { return clock_() - start_; }

  const runtime::Candidate& root_;
  const ChoiceOrder& order_;
  Evaluator& evaluator_;
  const Stopper& stopper_;
  EventLog& log_;
  ProgressReporter& reporter_;
  Clock clock_;
  ExplorerOptions options_;
  Random random_;
  std::unique_ptr<TreeSearch> tree_;  ///< Null without a policy.
  Proposer proposer_;
  double start_ = 0;
  double before_ = 0;                ///< Seconds of a restored run.
  double last_call_ = 0;             ///< By the clock: when everything has to be over.
  std::optional<Winner> unwritten_;  ///< Of a restored run: a best whose line it did not write.
  Outcome outcome_;
  Status status_;
  std::unordered_set<std::uint64_t> seen_vectors_, seen_codes_;
  std::deque<Tried> tried_;
  int duplicates_in_a_row_ = 0;
  int given_up_in_a_row_ = 0;
  int broken_in_a_row_ = 0;
  std::uint64_t proposed_ = 0;  ///< Descents of DescendAndCompile().
  double naive_rough_ns_ = 0;   ///< Source::rough_ns of the slowest that the run begins with.
  std::atomic<double> idle_above_ns_ = 0;  ///< What Source::rough_ns may be; 0: anything.
  double slowdown_ = 1;                    ///< How many times its known time the best took of late.
  bool has_said_busy_ = false, is_ready_ = false;
  std::uint64_t watched_ = 0;                ///< Evaluations when the best was last measured.
  std::uint64_t before_evals_ = 0;           ///< Evaluations of a restored run.
  std::map<std::string, Failure> failures_;  ///< By verdict and reason without its numbers.
  std::uint64_t attempts_ = 0;      ///< Descents, and looks at a tree that had nothing free.
  std::uint64_t rollouts_cut_ = 0;  ///< Children that rollouts found pruned.
};

}  // namespace exh::search
