// SPDX-License-Identifier: MIT
//
// Evaluator: what turns an implementation into a time. A search knows no device behind it; tests
// put a function of the decisions there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "kernels/evaluation.h"
#include "runtime/candidate.h"

namespace exh::kernels {

/// How candidates are evaluated.
struct EvaluatorOptions {
  int jobs = 1;       ///< Compilers at once.
  int gpu = 0;        ///< Which GPU, where Backend::is_gpu().
  bool cold = false;  ///< Time kernels of a GPU with inputs that are not in L2.
  /// What compiles or runs when this is stopped is ended: Verdict::kStopped. Null: nobody stops it.
  const StopToken* stop = nullptr;
  /// The program, with its arguments, below which the processes that use a GPU run: a sanitizer or
  /// a debugger. Empty: none. Its standard output is not to be written to.
  std::vector<std::string> under = {};
  /// GPUs beside `gpu` that measure at the same time, each a lane; see Evaluator::lanes().
  std::vector<int> more_gpus = {};
  /// Where what compilers make is kept for searches that come later, where a device keeps it;
  /// empty: in the user's own folder.
  std::string cache = {};
};

/// How long to measure.
enum class Effort {
  kQuick,  ///< Enough to tell the good from the bad.
  kFinal,  ///< For what is going to be called best, and for comparisons.
  /// For what passed kFinal before, or is audited if it wins, to be compared once more: times as
  /// long. A device may leave out the checks that are not part of timed runs.
  kAgain,
  /// For the winner, at the end: as kFinal, and 128 runs of it are looked at one by one even where
  /// they last long, up to kAuditSeconds. What is wrong in every hundredth run is found.
  kAudit,
};

/// What the runs of an audit may last.
inline constexpr double kAuditSeconds = 6;

/// What a candidate is up against.
struct Cap {
  double ns = 0;       ///< Above it a run may be stopped: kSlow. 0: none is, but by what hangs.
  double best_ns = 0;  ///< The fastest so far; 0: nothing is known to be correct.
};

/// Something to be compared: compiled, or the reason why it is not.
struct Contender {
  std::string name;
  Compiled compiled;
  std::uint64_t workspace_bytes = 0;  ///< Of a yardstick: what it takes beside the arrays.
};

class Workload;

/// One of several places at which an evaluator measures at the same time: a GPU of this machine, or
/// a process on another one. Try() and Measure() of a lane are called by one thread at a time.
class Lane {
 public:
  virtual ~Lane() = default;

  /// As logs and messages call it: "gpu 3". Never changes.
  virtual std::string name() const = 0;
  /// As those of an evaluator. kBroken, and another lane may do better.
  virtual Measurement Try(const Compiled& trial, const Cap& cap) = 0;
  virtual Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) = 0;

  /// Can it be given work by now? A machine that is waited for joins later. From any thread.
  virtual bool is_ready() const { return true; }
  /// How often what measures here died or fell silent over a candidate, of which that says nothing
  /// yet. From any thread.
  virtual int deaths() const { return 0; }
  /// Why nothing will be measured here any more; empty: something will. From any thread.
  virtual std::string lost() const { return ""; }
  /// What is compiled is best measured where it was compiled: was this?
  virtual bool has(const Compiled& /*compiled*/) const { return false; }
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// From here on implementations are of another workload on the same device: what was started for
  /// the one before (compilers, a process on a GPU) goes on. Nothing is compiled or measured
  /// meanwhile. Empty, or why its problems cannot be made.
  virtual std::string Take(std::unique_ptr<const Workload> /*workload*/) {
    return "this evaluator has one workload";
  }

  /// The source of an implementation. Throws Refused where it has none. May be called from several
  /// threads at once.
  virtual Source Emit(const runtime::Candidate& implementation) = 0;

  /// Compiles a source, in a process of its own. May be called from several threads at once.
  virtual Compiled Compile(const Source& source) = 0;

  /// The same for a source that Emit() made of this implementation: a lane on another machine is
  /// told decisions, and not the text that comes of them.
  virtual Compiled CompileOf(const Source& source, const runtime::Candidate& /*implementation*/) {
    return Compile(source);
  }

  /// Compiles Source::careful of a source that has it: for Try(), before it is known whether the
  /// source itself is worth a compilation. May be called from several threads at once.
  virtual Compiled CompileTrial(const Source& source) { return Compile(source); }

  /// Runs what CompileTrial() made: kCorrect when that ended within the cap, otherwise the verdict
  /// on the candidate. Nothing is checked or timed. `cap` as for Measure().
  virtual Measurement Try(const Compiled& trial, const Cap& cap) {
    return Measure(trial, cap, Effort::kQuick);
  }

  /// The cap with which a search begins that knows nothing yet, and which it raises until something
  /// ends; 0: there is none then.
  virtual double first_cap_ns() const { return 0; }

  /// May candidates be measured while others compile? Not where both need the same processor.
  virtual bool compiles_while_measuring() const { return false; }

  /// Where it measures at the same time, which needs compiles_while_measuring(); empty: at one
  /// place, one candidate after the other. The lanes are this object's, and always the same.
  virtual std::vector<Lane*> lanes() { return {}; }
  /// May a lane be slower than the others for reasons of its own? Then each of them measures the
  /// incumbent now and then, and one that deviates is left out.
  virtual bool calibrates_lanes() const { return true; }
  /// From here on what is asked of the evaluator itself (finals, yardsticks, rates) is measured at
  /// one of lanes(). Nothing is measured meanwhile.
  virtual void MeasureAt(Lane& /*lane*/) {}
  /// The name of that lane; empty where there are none.
  virtual std::string measures_at() const { return ""; }

  /// Does a cache on the disk know what compilers made of texts, or said against them?
  virtual bool keeps_compilations() const { return false; }

  /// Longer texts are not compiled once something is known to be correct, but for those that are
  /// not much longer than the best one's; 0: all are.
  virtual std::uint64_t most_text_bytes() const { return 0; }

  /// Waits so many seconds at most until candidates can be measured (something to compare them with
  /// may take long to compute): can they?
  virtual bool IsReady(double /*seconds*/) { return true; }

  /// Runs, checks and times what was compiled. Unless compiles_while_measuring(), never called
  /// while anything compiles. What is far slower than `cap.best_ns` may be kSlow by the time of a
  /// part of it (Measurement::estimate_ns).
  virtual Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) = 0;

  /// Runs what was compiled `launches` times with the same inputs, each run checked and timed by
  /// itself: `runtimes_ns` has all of them, and `results` says how often they differ.
  virtual Measurement Repeat(const Compiled& /*compiled*/, int /*launches*/) {
    Measurement none;
    none.why = "this device does not look at launches one by one";
    return none;
  }

  /// How many of the best candidates are measured once more against each other at the end, in a
  /// race; 1: only the winner is, with the yardsticks.
  virtual int finalists() const { return 1; }

  /// What a winner is compared with on this device, compiled by at most `jobs` compilers at once.
  virtual std::vector<Contender> Yardsticks(int /*jobs*/) { return {}; }
  /// What a copy takes that moves so many bytes, read and written; 0: not known.
  virtual double CopyNs(std::uint64_t /*bytes*/) { return 0; }
  /// In words: what builds and runs sources.
  virtual std::string Conditions() const { return ""; }

  /// In words: how the yardsticks were built and run.
  virtual std::string YardstickText() const { return ""; }

  /// What a person should know before a run begins, a line each: what the compiler gets wrong, and
  /// what is done about it.
  virtual std::vector<std::string> Notes() const { return {}; }
  /// Versions of what its times depend on, by name: "compiler", "driver", libraries.
  virtual std::map<std::string, std::string, std::less<>> Versions() const { return {}; }

  /// What the device reaches by itself; nothing where that is not measured. Throws Error.
  virtual std::optional<MeasuredRates> Rates() { return std::nullopt; }

  /// Nobody will measure this again: its files may go.
  virtual void Discard(const Compiled& compiled) = 0;
};

}  // namespace exh::kernels
