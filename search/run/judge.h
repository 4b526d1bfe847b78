// SPDX-License-Identifier: MIT
//
// Judge: phases 3 and 4 of a run, from something compiled to a verdict that counts.
//
//   3. Measure   Under a cap: what is far slower than the incumbent may be stopped early. While
//                there is none the cap grows (opening_cap.h).
//   4. Confirm   A candidate that may beat the incumbent is checked again and measured in turn with
//                it (duel.h). It is the new incumbent only if it is correct and faster side by
//                side. One that is below its own bound is measured again alone: it is impossible,
//                and never the incumbent; or the first time was an accident.
//
// Every verdict is logged as it comes, taught to frontier and proposer, and counted. One that the
// end of the run cut short is none, and is not logged.
//
// On a busy machine times of the same program differ by factors. What the incumbent takes now,
// against what it took at best, is the *slowdown*. Within this factor a candidate may still be the
// best, and the cap grows with it. What a candidate is compared by is then its time divided by the
// slowdown. That is no time of anything: its own time, in the log and on the screen, is always one
// that was measured. And quotients of quotients would drift: no candidate counts as faster than the
// fastest that was ever measured, but for being just ahead of what it beat.
//
// Where several lanes measure (lanes/), phases 3 and 4 happen in their threads, and what decides
// and records stays in one: then CapNow(), Doubt() and Record() are called in turn, with
// LookAgain() (second_look.h) between them. Each lane has a slowdown of its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/trace/trace.h"
#include "search/measure/evaluator.h"
#include "search/measure/second_look.h"
#include "search/propose/frontier/frontier.h"
#include "search/propose/proposer.h"
#include "search/run/opening_cap.h"
#include "search/run/run_state.h"

namespace exh::search {

/// Where something is measured: one of the lanes of a run.
struct AtLane {
  std::size_t number = 0;
  std::string name = {};  ///< As logs have it; empty: there is one alone.
  TraceTime began = {};   ///< Measuring what it is at now; of a trace.
};

class Judge {
 public:
  /// All references outlive it.
  Judge(RunState& state, Frontier& frontier, Proposer& proposer, Evaluator& evaluator,
        const ExplorerOptions& options)
      : state_(state),
        frontier_(frontier),
        proposer_(proposer),
        evaluator_(evaluator),
        options_(options),
        opening_cap_(evaluator.first_cap_ns()) {}

  /// What measuring needs and takes long begins now, beside compilers.
  void Prepare() { is_ready_ = evaluator_.IsReady(0); }

  /// Measures a compiled entry, confirms and records it. Its files go when it has no role left.
  void Evaluate(Entry& entry, Effort effort = Effort::kQuick);
  /// Runs a compiled trial. True: it ended in time, and the entry is worth its compilation. False:
  /// its verdict is recorded.
  bool Try(Entry& entry);
  /// Measures the incumbent now and then: how busy is the machine?
  void WatchMachine();

  // ---- For who measures elsewhere ---------------------------------------------------------------

  /// Waits until candidates can be measured; false: the run ends before.
  bool AwaitEvaluator();
  /// Above this a candidate is slow.
  Cap CapNow(const Entry& entry, const AtLane& lane = {}) const;
  /// Does this say anything of the candidate? What the end of the run cut short does not.
  bool IsVerdict(const kernels::Measurement& measurement);
  /// What is to be measured once more, before what was measured counts.
  SecondLook Doubt(const Entry& entry, const kernels::Measurement& measurement,
                   const AtLane& lane = {});
  /// Is the incumbent another one by now than a candidate was measured in turn with, which seemed
  /// better than that?
  bool IsOutdated(const Entry& entry, const SecondLook& look) const;
  /// Logs what came of a candidate, and what that changes.
  void Record(Entry& entry, const kernels::Measurement& measurement, const SecondLook& look,
              const AtLane& lane = {});

 private:
  struct Confirmation {
    kernels::Verdict verdict;  ///< kStopped: the run ends, and nothing is known.
    bool is_best = false;
  };

  void Measure(Entry& entry, Effort effort);
  kernels::Measurement MeasureNow(const kernels::Compiled& program, const Cap& cap, Effort effort);
  /// Is there an incumbent that is faster or slower than the candidate, where that matters? One
  /// that takes more memory is none where memory counts: it is beaten at any speed.
  bool HasRival(const Entry& entry) const;
  /// Is a candidate with this time better than the incumbent, when that takes `slowdown` times its
  /// known time?
  bool IsBest(const Entry& entry, double ns, double slowdown) const;
  /// Looks again if need be, and records.
  void Take(Entry& entry, const kernels::Measurement& measurement);
  /// Adds what came of a duel, or of measuring it alone, to the record.
  Confirmation AfterDuel(const SecondLook& look, EvalRecord& record, const AtLane& lane);
  Confirmation AfterAlone(const Entry& entry, const SecondLook& look, EvalRecord& record) const;
  double SlowdownOf(const AtLane& lane) const;
  void NoteSlowdown(double slowdown, const AtLane& lane = {});
  /// What counts of a candidate that won a duel on a busy machine: see above.
  double Compared(const Duel& duel, double known_ns) const;
  /// Keeps a verdict that other searches need not find out again.
  void TellOthers(const Entry& entry, const EvalRecord& record) const;
  /// Notes a time below what the model says that nothing is faster than.
  void CheckBound(const runtime::Candidate& candidate, const EvalRecord& record);
  /// Draws an evaluation into the row where it was measured.
  void Trace(const EvalRecord& record, const AtLane& lane) const;

  RunState& state_;
  Frontier& frontier_;
  Proposer& proposer_;
  Evaluator& evaluator_;
  const ExplorerOptions& options_;
  OpeningCap opening_cap_;  ///< Until there is an incumbent.
  bool is_ready_ = false, has_said_busy_ = false;
  /// How many times its known time the incumbent took of late, by lane; absent: once.
  std::map<std::size_t, double> slowdown_;
  TraceTime began_;            ///< Measuring what is at work, without lanes; of a trace.
  std::uint64_t watched_ = 0;  ///< Evaluations when the incumbent was last measured.
};

}  // namespace exh::search
