// SPDX-License-Identifier: MIT
//
// The records of log.jsonl as plain structs; docs/log.md explains each field. Members that a line
// lacks keep the values given here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "kernels/evaluation.h"

namespace exh::search {

/// RunRecord::subject of fused operators; the operator is the text of the run.
inline constexpr const char* kFusedSubject = "fused";
/// The same for functional programs.
inline constexpr const char* kFunctionalSubject = "functional";

/// What times depend on beside the device, by name: "processor", "compiler", "driver", and
/// libraries; as MachineOf() says.
using Machine = std::map<std::string, std::string, std::less<>>;

/// The first line: everything that is needed to build the same root candidate again.
struct RunRecord {
  int version = 2;
  std::string tool;     ///< "search 0.1.0".
  std::string started;  ///< UTC, "2026-01-31T12:00:00Z".
  std::string space, fingerprint;
  double space_s = 0;   ///< Seconds that building it took, where that was a second or more.
  std::string subject;  ///< The kind of what is searched (subject/registry.h); empty: a kernel.
  std::string kernel;
  std::string text;  ///< The kernel as text, unless the program has it by this name.
  std::map<std::string, std::int64_t, std::less<>> sizes;
  std::map<std::string, std::string, std::less<>> words;  ///< Of options whose values have names.
  /// What else the space was built with, which is no size: `leaves` of a fused operator; the rules
  /// of mapping that are not as usual, 0 or 1.
  std::map<std::string, std::int64_t, std::less<>> settings;
  std::string device;
  std::string decisions;  ///< "default": all of the space; "paper": none beyond the paper's.
  /// Limit -> JSON text, as the run used them: detected values and command line included.
  std::map<std::string, std::string, std::less<>> limits;
  std::string conditions;  ///< As Evaluator::YardstickText(): the GPU and its driver, …
  Machine machine;
  std::uint64_t seed = 0;
  double flops = 0;
  /// Which part of results is compared, where not all is (kernels/problem.h); empty: all.
  std::string checked;
  std::vector<std::string> argv;
  std::vector<std::string> order;  ///< Names of choices, first decided first.
  std::string objective = "time";  ///< What the best is: `--objective`.
  std::string policy = "random";   ///< Of the tree; "random" has none, and no fields below.
  int topk = 10;
  double delta = 1, epsilon = 0.01;
  double local = 0;   ///< Share of descents near the best implementations.
  int screen = 1;     ///< Descents that the cost model picks one of.
  std::string prior;  ///< What its cost model began with: "cpu-avx512 8f14e45f"; empty: nothing.
  /// Winners of earlier searches that islands began at: "matmul-512-avx512 8f14e45f".
  std::vector<std::string> winners;
  std::string bound;  ///< Which lower bound cut: "warm 8f14e45f"; empty: none.
  std::string check;  ///< Which one only stands beside the times, also without a tree.

  /// Times are those of kernels whose inputs are not in the cache (`--l2 cold`).
  bool is_cold() const { return bound.starts_with("cold") || conditions.ends_with("cold L2"); }
};

/// What older programs wrote elsewhere goes where it is now. They called a kernel what is the
/// subject, and had settings among the sizes: `leaves`, and `rule:` before the name of a rule.
void BringUpToDate(RunRecord& run);

/// All numbers from one to another.
struct LoggedRange {
  std::uint32_t first = 0, last = 0;
  friend bool operator==(const LoggedRange&, const LoggedRange&) = default;
};

/// One decision, once: what its index and the indices of its values mean in the rest of the file.
struct ChoiceRecord {
  int index = -1;
  std::string name;
  std::vector<std::string> args;
  std::vector<std::string> domain;
  /// In place of `domain` where there are more than 64 values: its numbers, ascending.
  std::vector<LoggedRange> ranges;
  friend bool operator==(const ChoiceRecord&, const ChoiceRecord&) = default;
};

/// A decision that was taken: indices into the choice records.
struct PathStep {
  int decision = -1;
  int value = -1;
  friend bool operator==(const PathStep&, const PathStep&) = default;
};
using Path = std::vector<PathStep>;

/// Two times that were taken one after the other.
struct TimePair {
  double ns = 0;
  double best_ns = 0;  ///< Of the best so far; 0: it failed.
  friend bool operator==(const TimePair&, const TimePair&) = default;
};

struct EvalRecord {
  std::uint64_t n = 0;  ///< 1, 2, 3 …
  double dt = 0;        ///< Seconds since the start of the run.
  Path path;            ///< In the order in which they were taken.
  std::string vector;   ///< Of its decisions; see VectorText().
  std::string hash;     ///< Of `vector`.
  std::string code;     ///< Hash of the source without its comments.
  kernels::Verdict verdict = kernels::Verdict::kStopped;
  std::string why;
  double compile_ms = 0, check_ms = 0;
  std::vector<double> runtimes_ns;
  double best_ns = 0;  ///< A time that was measured.
  /// What search compares in its place, where that is something else: on a busy machine, what it
  /// would take if the best took its known time; of what lost, no less than that. 0: `best_ns`.
  double quiet_ns = 0;
  double again_ns = 0;          ///< Fastest of what was measured again; 0 when nothing was.
  std::uint64_t against = 0;    ///< Number of the best that it was measured in turn with; 0: none.
  std::vector<TimePair> pairs;  ///< The rounds of that.
  double max_error = 0, error_ratio = 0;
  std::string across;                 ///< How blocks divide its reductions (Source::across).
  bool bits_vary = false;             ///< Source::bits_vary.
  std::uint64_t memory_bytes = 0;     ///< Source::memory_bytes(); 0: nobody knows.
  std::uint64_t workspace_bytes = 0;  ///< Those of them that lie beside the arguments.
  // Of a GPU kernel; 0 elsewhere.
  int registers = 0;       ///< Of a thread.
  int blocks_per_sm = 0;   ///< That a multiprocessor holds at once.
  double clock_mhz = 0;    ///< The lowest clock beside its batches.
  double estimate_ns = 0;  ///< Of the whole, by the time of a part; 0: no part was timed.
  std::uint64_t estimate_blocks = 0;  ///< The blocks of that part.
  /// The verdict is of another search of the same program (`--cache`): this one compiled and ran
  /// nothing.
  bool known = false;
  /// Where it was measured and confirmed, in a run that measures at several places: "gpu 3".
  std::string lane;
  // Of a search with a tree; 0 elsewhere.
  std::uint64_t sequence = 0;   ///< Of this event among those of the tree.
  std::uint64_t selection = 0;  ///< Sequence number of the selection that it came of.
  double bound_ns = 0;          ///< What the model says that nothing of the kind is faster than.
};

/// What was measured of a record that is correct. Where nothing was measured in turn (the first
/// best of a run, and all of older logs) it is the slower of two measurements.
inline double TimeOf(const EvalRecord& record) {
  return record.pairs.empty() ? std::max(record.best_ns, record.again_ns) : record.best_ns;
}

/// What a search compares of a record that is correct.
inline double QuietTime(const EvalRecord& record) {
  return record.quiet_ns > 0 ? record.quiet_ns : TimeOf(record);
}

/// What a search learns of the speed of what was evaluated: what it compares, or of one that was
/// run in part alone what that says, which is never below its bound. 0: nothing.
inline double LearnedTime(const EvalRecord& record) {
  if (record.verdict == kernels::Verdict::kCorrect) {
    return record.quiet_ns > 0 ? record.quiet_ns : record.best_ns;
  }
  const bool was_timed_in_part =
      record.verdict == kernels::Verdict::kSlow && record.best_ns == 0 && record.estimate_ns > 0;
  return was_timed_in_part ? std::max(record.estimate_ns, record.bound_ns) : 0;
}

/// A new best, after it was measured again; or the best so far, that turned out to be faster than
/// was known.
struct BestRecord {
  std::uint64_t n = 0;
  double dt = 0;
  double ns = 0;        ///< As TimeOf() its evaluation, or what it took since: it was measured.
  double quiet_ns = 0;  ///< As QuietTime(), where that is something else. 0: as `ns`.
  /// Of logs of older programs, in which `ns` was what QuietTime() is now. A reader puts both where
  /// they belong.
  double measured_ns = 0;
  std::string hash;
  std::uint64_t sequence = 0;  ///< Among the events of the tree; 0 when it does not know of it.
  /// What is slower may still be better: it may take less memory.
  bool no_cut = false;

  /// What a search compares.
  double compared_ns() const { return quiet_ns > 0 ? quiet_ns : ns; }
  /// What is slower need not be looked at.
  double cut_ns() const { return no_cut ? std::numeric_limits<double>::infinity() : ns; }
};

/// A path of the tree that was selected.
struct SelectRecord {
  std::uint64_t sequence = 0;
  Path path;
  std::string policy;
  bool is_closed = false;  ///< It led to a node without live children.
};

/// What came of a selection without an evaluation of its own.
struct ResultRecord {
  std::uint64_t sequence = 0;
  std::uint64_t selection = 0;  ///< Sequence number of the selection.
  std::string what;             ///< "known", "failed", "empty", "lost": as Backup::Kind.
  double ns = 0;                ///< Of a "known" one: what was measured then.
};

/// A time below the bound: the model is wrong.
struct ViolationRecord {
  std::uint64_t n = 0;
  double dt = 0;
  double ns = 0, bound_ns = 0;
  std::string resource;  ///< What the bound rests on.
};

/// A check of our own that failed on a candidate that is no evaluation, the first time.
struct FailedCheckRecord {
  double dt = 0;
  std::string why;     ///< "file:line: check failed: condition".
  std::string vector;  ///< Of its decisions, with `?` for those that are open.
};

/// A dead end met on the way down, and the requirement that emptied a domain.
struct DeadRecord {
  double dt = 0;
  std::string label;
  int depth = 0;  ///< Decisions taken before the one that failed.
  PathStep step;  ///< The one that failed; value -1: removing the last failed value did.
};

/// A yardstick, or the winner measured in turn with them.
struct ReferenceRecord {
  std::string name;  ///< "winner", "naive", "eigen", "cublas", "cublaslt", "record 17".
  kernels::Verdict verdict = kernels::Verdict::kStopped;
  std::string why;
  double best_ns = 0;
  std::vector<double> runtimes_ns;
  std::uint64_t results = 0;  ///< Measurement::results, of `search replay --repeat`.
  /// Median of the rounds and its 95 % interval; 0 when there were too few for one.
  double lo_ns = 0, median_ns = 0, hi_ns = 0;
  double clock_mhz = 0;               ///< Of a GPU: the lowest beside the rounds; 0 elsewhere.
  std::uint64_t workspace_bytes = 0;  ///< Main memory that it takes beside the arrays.
  std::string lane;                   ///< As EvalRecord::lane.
};

/// What the device reached by itself in the same run; members as in kernels::MeasuredRates.
struct RatesRecord {
  double driver_copy_gbs = 0, kernel_copy_gbs = 0, fma_gflops = 0, clock_mhz = 0;
};

/// A run that goes on: what follows comes of another process.
struct ResumeRecord {
  double dt = 0;        ///< Where the clock of the run goes on.
  std::string started;  ///< UTC, as in RunRecord.
  std::string tool, conditions;
  Machine machine;
  std::vector<std::string> argv;
};

/// A log that was damaged and repaired: what precedes is what was whole.
struct RepairRecord {
  std::string started;  ///< UTC, as in RunRecord.
  std::string tool;
  std::string damaged;            ///< Name of the file as it was, in the same folder.
  std::uint64_t mended = 0;       ///< Lines that are again what they were.
  std::vector<std::string> lost;  ///< In words, one for each line: "line 17 (an evaluation)".
};

struct EndRecord {
  double dt = 0;
  std::string why;  ///< "budget:time", "budget:evals", "signal", "exhausted", "broken".
  std::uint64_t evaluations = 0, descents = 0, duplicates = 0;
  std::uint64_t best = 0;  ///< `n` of the best; 0 for none.
  std::map<std::string, std::uint64_t, std::less<>> verdicts;
  std::map<std::string, std::uint64_t, std::less<>> dead_ends;  ///< By label.
  /// Of all threads, since the run began or went on, by activity (base/activity.h). Absent in older
  /// logs.
  std::map<std::string, double, std::less<>> seconds;
  // Of a search with a tree.
  std::string tree;     ///< Digest of the tree; empty without one.
  double bound_ns = 0;  ///< Nothing of the space is faster, as far as the search has proven.
  std::uint64_t pruned = 0, violations = 0;
};

}  // namespace exh::search
