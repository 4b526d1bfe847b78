// SPDX-License-Identifier: MIT
//
// The side that checks and holds the watch. README.md says what is checked when, and how a time
// comes about. The candidate's process does what it is asked for and says how long that took; it is
// frozen while its outputs are looked at.
#include "kernels/cpu/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/system/process.h"
#include "kernels/counters/task_counters.h"
#include "kernels/cpu/compare.h"
#include "kernels/cpu/contain/contained_process.h"

namespace exh::kernels::cpu {
namespace {

using Clock = std::chrono::steady_clock;
using Event = ContainedProcess::Event;

/// What a library may keep, beside what a candidate may, and as much again for each thread.
constexpr std::uint64_t kLibraryBytes = 512ULL << 20;

/// Outputs up to this size are spoilt and compared whole after each batch: what costs the candidate
/// its caches is made good by a run before the clock starts. Of larger ones, parts.
constexpr std::size_t kWholeBytes = 256 << 10, kPartElements = 64, kNumParts = 256;

Measurement Failure(Verdict verdict, std::string why) {
  Measurement m;
  m.verdict = verdict;
  m.why = std::move(why);
  return m;
}

/// Even where each lasts long.
constexpr std::size_t kLeastBatches = 2;
/// Times as many as usual, as long as each is faster than all before.
constexpr std::size_t kMostBatches = 3;

/// An element as its bits, and back in one piece: somebody may be writing it, too.
std::uint64_t ReadBits(const std::byte* element, std::uint32_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, bytes);
  return bits;
}
template <typename Word>
void WriteWord(std::byte* element, std::uint64_t bits) {
  Word word;
  std::memcpy(&word, &bits, sizeof word);
  *reinterpret_cast<volatile Word*>(element) = word;
}
void WriteBits(std::byte* element, std::uint32_t bytes, std::uint64_t bits) {
  switch (bytes) {
    case sizeof(std::uint8_t):
      return WriteWord<std::uint8_t>(element, bits);
    case sizeof(std::uint16_t):
      return WriteWord<std::uint16_t>(element, bits);
    case sizeof(std::uint32_t):
      return WriteWord<std::uint32_t>(element, bits);
    default:
      return WriteWord<std::uint64_t>(element, bits);
  }
}

/// The bits of a number, or a bool, that is another one than `kept`.
std::uint64_t OtherBits(ir::Type type, const std::byte* kept) {
  const std::uint32_t bytes = ir::BytesOf(type);
  const std::uint64_t bits = ReadBits(kept, bytes);
  if (!ir::IsFloat(type)) return bits ^ 1;
  const double number = ir::ReadElement(type, kept);
  std::byte other[sizeof bits];
  ir::WriteElement(type, other, std::isnan(number) ? 1 : number * 0.5 + 1);
  const std::uint64_t other_bits = ReadBits(other, bytes);
  return other_bits != bits ? other_bits : bits ^ 1;
}

class CandidateRun {
 public:
  CandidateRun(const CpuRunRequest& request, ProblemSet& problems)
      : request_(request), problems_(problems), left_s_(request.timeout_s) {
    const std::vector<SharedShape>& shapes = problems.arrays().layout().shapes();
    for (std::size_t array = 0; array < shapes.size(); ++array) {
      if (!shapes[array].is_output) continue;
      outputs_.push_back(array);
      output_bytes_ += shapes[array].bytes();
    }
  }

  Measurement Run(ForkServer& server, const StopToken* stop) {
    problems_.arrays().RestoreGuards();
    ContainedProcess::Options options;
    options.server = &server;
    options.inputs_fd = problems_.arrays().inputs_fd();
    options.outputs_fd = problems_.arrays().outputs_fd();
    options.stop = stop;
    options.setup.library = request_.library;
    options.setup.threads = request_.threads;
    options.setup.is_yardstick = request_.is_yardstick;
    options.setup.shapes = problems_.arrays().layout().shapes();
    for (std::size_t problem = 0; problem < problems_.size(); ++problem) {
      auto& cells = options.setup.scalars.emplace_back();
      for (const ProblemScalar& scalar : problems_.problem(problem).scalars) {
        cells.push_back(ir::Rounded(scalar.type, scalar.value).Cell(scalar.type));
      }
    }
    options.setup.allowance =
        AllowanceFor(problems_.arrays().layout().array_bytes(), request_.threads);
    if (request_.is_yardstick) {
      options.setup.allowance.memory_bytes += kLibraryBytes * (1 + std::uint64_t(request_.threads));
    }
    ContainedProcess process(options);
    if (!process.error().empty()) return Failure(Verdict::kBroken, process.error());
    process_ = &process;
    measurement_.verdict = Verdict::kCorrect;
    All();
    if (contained_.calls) return measurement_;
    // Something of it may live on where processes are not refused: it gets no other's arrays.
    process.Finish(0);
    const std::string error = problems_.Renew();
    return error.empty() ? measurement_ : Failure(Verdict::kBroken, error);
  }

 private:
  const SharedShape& Shape(std::size_t array) const {
    return problems_.arrays().layout().shapes()[array];
  }

  void All() {
    const Clock::time_point start = Clock::now();
    if (!Load() || !CheckedRun(0)) return;
    measurement_.check_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    problems_.Keep();
    process_->PinThreads();
    if (!Time()) return;
    if (request_.counters != nullptr && !Count(*request_.counters)) return;
    const Verdict timed = measurement_.verdict;
    bool is_first = true;
    for (const std::size_t problem : request_.problems_after) {
      if (!CheckedRun(problem)) return;
      if (std::exchange(is_first, false) && !Repeat(problem)) return;
    }
    measurement_.verdict = timed;
  }

  bool Load() {
    RunnerReply reply;
    if (!Understand(process_->AwaitReady(reply, left_s_))) return false;
    if (reply.why[0] != '\0') return Fail(Verdict::kBroken, reply.why);
    contained_ = ContainmentOfBits(reply.containment);
    RunnerCommand load;
    load.op = RunnerCommand::kLoad;
    if (!Ask(load, reply)) return false;
    if (reply.why[0] != '\0') return Fail(Verdict::kBroken, reply.why);
    if (!request_.is_yardstick) return true;
    has_before_ = reply.has_before;
    measurement_.why = std::string(reply.which, ::strnlen(reply.which, sizeof reply.which));
    return true;
  }

  // ---- Asking ----

  bool Fail(Verdict verdict, std::string why) {
    measurement_.verdict = verdict;
    measurement_.why = std::move(why);
    return false;
  }

  bool Ask(const RunnerCommand& command, RunnerReply& reply, Meanwhile meanwhile = {}) {
    return Understand(AskWithin(left_s_, command, reply, std::move(meanwhile)));
  }

  Event AskWithin(double seconds, const RunnerCommand& command, RunnerReply& reply,
                  Meanwhile meanwhile = {}) {
    const Event event = process_->Ask(command, reply, seconds, std::move(meanwhile));
    left_s_ -= process_->wall_ns() * 1e-9;
    return event;
  }

  bool Understand(Event event) {
    switch (event) {
      case Event::kReply:
        return true;
      case Event::kStopped:
        return Fail(Verdict::kStopped, "");
      case Event::kLate:
        return Fail(Verdict::kTimeout, fmt::format("ran longer than {} s", request_.timeout_s));
      case Event::kOutOfTurn:
        return Fail(Verdict::kWrong, "it wrote to the channel that its process answers on");
      case Event::kTooManyThreads:
        return Fail(Verdict::kCrash, "it started many more threads than it was given");
      case Event::kEnded:
        break;
    }
    constexpr double kToDie = 1;  // A process whose memory is large takes its time to die.
    const ContainedProcess::End& end = process_->Finish(kToDie);
    const std::string last = process_->LastLine();
    const std::string said = last.empty() ? "" : ": " + last;
    if (end.was_alive) return Fail(Verdict::kCrash, "it closed the channel of its process" + said);
    if (!end.signalled) {
      return Fail(Verdict::kCrash,
                  fmt::format("its process ended with code {} and no answer{}", end.code, said));
    }
    // It cannot send itself these.
    const bool from_outside =
        end.code == SIGKILL || end.code == SIGTERM || end.code == SIGINT || end.code == SIGHUP;
    if (from_outside && contained_.calls) {
      return Fail(Verdict::kBroken, "its process was killed from outside: " + SignalText(end.code));
    }
    return Fail(Verdict::kCrash, SignalText(end.code) + said);
  }

  /// What the first run may take, with the pages that it touches and the threads that it starts:
  /// what takes longer is so far behind that it is not looked at any more. 0: any time.
  double HopelessNs() const {
    constexpr double kBehind = 2.5, kStartNs = 20e6;
    // A page that the process has not seen yet is slow even where it is mapped: on a virtual
    // machine the host maps it as well.
    constexpr double kPageBytes = 4096, kNsPerPage = 4000;
    const auto bytes = static_cast<double>(problems_.arrays().layout().array_bytes());
    return request_.cap_ns > 0
               ? kBehind * request_.cap_ns + kStartNs + bytes / kPageBytes * kNsPerPage
               : 0;
  }

  // ---- Checking ----

  bool Wrong(const std::string& why, const std::string& when) {
    return Fail(Verdict::kWrong, when.empty() ? why : why + " " + when);
  }

  bool CheckOutput(std::size_t problem, std::size_t array, const std::string& when) {
    const OutputComparison comparison =
        Compare(problems_.problem(problem).arrays[array], problems_.arrays().output(array));
    measurement_.max_error = std::max(measurement_.max_error, comparison.max_error);
    measurement_.max_error_ratio = std::max(measurement_.max_error_ratio, comparison.max_ratio);
    return comparison.why.empty() || Wrong(comparison.why, when);
  }

  bool CheckGuards(const std::string& when) {
    for (const std::size_t array : outputs_) {
      const std::string touched = problems_.arrays().CheckGuards(array);
      if (touched.empty()) continue;
      return Wrong(fmt::format("{} was written outside its bounds, at {}",
                               problems_.problem(0).arrays[array].name, touched),
                   when);
    }
    return true;
  }

  /// One run, after which nothing that it left running goes on writing.
  bool RunOnce(std::size_t problem) {
    RunnerCommand run;
    run.op = RunnerCommand::kRun;
    run.problem = static_cast<std::uint32_t>(problem);
    run.runs = 1;
    RunnerReply reply;
    const double hopeless_ns = is_first_run_ ? HopelessNs() : 0;
    is_first_run_ = false;
    const bool is_short = hopeless_ns > 0 && hopeless_ns * 1e-9 < left_s_;
    const Event event = AskWithin(is_short ? hopeless_ns * 1e-9 : left_s_, run, reply);
    if (is_short && event == Event::kLate) {
      measurement_.runtimes_ns = {process_->wall_ns()};
      measurement_.best_ns = process_->wall_ns();
      return Fail(Verdict::kSlow,
                  fmt::format("its first run did not end in {:.3g} ms, the cap is {:.3g} ms",
                              hopeless_ns / 1e6, request_.cap_ns / 1e6));
    }
    if (!Understand(event)) return false;
    if (reply.why[0] != '\0') return Fail(Verdict::kCrash, reply.why);
    process_->Pause();
    return true;
  }

  /// One run into outputs that hold nothing yet, checked in full.
  bool CheckedRun(std::size_t problem) {
    for (const std::size_t array : outputs_) {
      problems_.Spoil(problem, array, 0, Shape(array).elements);
    }
    if (!RunOnce(problem)) return false;
    const std::string& when = problems_.what(problem);
    // Elements first: what the candidate is about tells more than where else it wrote.
    for (const std::size_t array : outputs_) {
      if (!CheckOutput(problem, array, when)) return false;
    }
    return CheckGuards(when);
  }

  struct Part {
    std::size_t array, begin, count;
  };

  void AddPart(std::size_t array, std::size_t begin, std::size_t wanted) {
    const std::size_t elements = Shape(array).elements;
    const std::size_t count = std::min(wanted, elements - begin);
    if (count > 0) parts_.push_back({array, begin, count});
  }

  /// What of the outputs is spoilt before the next runs: all, or parts that nobody foresees.
  void ChooseParts(bool all) {
    parts_.clear();
    for (const std::size_t array : outputs_) {
      const std::size_t elements = Shape(array).elements;
      if (all || elements <= kPartElements * kNumParts) {
        AddPart(array, 0, elements);
        continue;
      }
      AddPart(array, 0, kPartElements);
      AddPart(array, elements - kPartElements, kPartElements);
      for (std::size_t part = 0; part < kNumParts; ++part) {
        AddPart(array, random_() % (elements - kPartElements), kPartElements);
      }
    }
  }

  /// Are the parts what they were in a run that was checked, or at least right?
  bool CheckParts(std::size_t problem, const char* when) {
    for (const Part& part : parts_) {
      if (problems_.IsAsKept(part.array, part.begin, part.count)) continue;
      // Sums may come out in another order each time: then the tolerance decides.
      if (!CheckOutput(problem, part.array, when)) return false;
    }
    return true;
  }

  /// The same run again and again, looked at each time: what goes wrong now and then. All elements
  /// are looked at where the time is enough for that in all runs that are left; otherwise in every
  /// eighth run, and in parts in the others.
  bool Repeat(std::size_t problem) {
    problems_.Keep();
    constexpr int kEighth = 8;
    constexpr double kUsualBytesPerMs = 1e6;  // To spoil, to run and to compare.
    const Clock::time_point start = Clock::now();
    const auto passed_ms = [&] {
      return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    };
    double whole_ms = static_cast<double>(output_bytes_) / kUsualBytesPerMs;
    for (int repeat = 0; repeat < request_.repeats; ++repeat) {
      const double before_ms = passed_ms(), left_ms = request_.repeats_ms - before_ms;
      if (left_ms <= 0) break;
      const bool fits = whole_ms * (request_.repeats - repeat) <= left_ms;
      const bool is_turn = repeat % kEighth == kEighth / 2 && whole_ms <= left_ms;
      const bool all = output_bytes_ <= kWholeBytes || fits || is_turn;
      ChooseParts(all);
      for (const Part& part : parts_) problems_.Spoil(problem, part.array, part.begin, part.count);
      if (!RunOnce(problem)) return false;
      if (!CheckParts(problem, "when run again")) return false;
      if (all) whole_ms = passed_ms() - before_ms;
    }
    return CheckGuards("when run again");
  }

  // ---- Timing ----

  /// One run. What would be called slow for it runs again, up to three times: a first run is slow
  /// by accident where two threads woke up on one core, or pages were not seen before.
  bool FirstTimedRun(double& ns) {
    constexpr double kSame = 0.7;
    if (!Batch(1, ns)) return false;
    for (int again = 0; again < 2 && request_.cap_ns > 0; ++again) {
      if (ns <= request_.cap_ns || ns > HopelessNs()) break;
      double next = 0;
      if (!Batch(1, next)) return false;
      const bool is_same = next > kSame * ns;
      ns = std::min(ns, next);
      if (is_same) break;
    }
    return true;
  }

  bool Time() {
    double runs = 1, ns = 0;
    if (!FirstTimedRun(ns)) return false;
    const double target = request_.batch_ms * 1e6;
    while (ns * runs < target && runs < 1e12) {
      // Aim a little beyond the target, at most tenfold: a first run may be slow by accident.
      const double wanted = 1.2 * target / std::max(ns * runs, 1.0);
      runs = std::max(runs + 1, std::floor(runs * std::min(wanted, 10.0)));
      if (!Batch(static_cast<std::uint64_t>(runs), ns)) return false;
    }
    measurement_.runtimes_ns.push_back(ns);
    Verdict verdict = Verdict::kCorrect;
    if (request_.cap_ns > 0 && ns > request_.cap_ns) {
      verdict = Verdict::kSlow;
      measurement_.why = fmt::format("{:.0f} ns, the cap is {:.0f} ns", ns, request_.cap_ns);
    }
    double spent_ms = runs * ns / 1e6;
    const auto wants_more = [&] {
      const std::vector<double>& times = measurement_.runtimes_ns;
      const auto most = static_cast<std::size_t>(request_.batches);
      if (times.size() >= most && !(times.size() < kMostBatches * most && IsWarming()))
        return false;
      return times.size() < kLeastBatches || spent_ms < request_.batches_ms;
    };
    while (verdict == Verdict::kCorrect && wants_more()) {
      if (!Batch(static_cast<std::uint64_t>(runs), ns)) return false;
      measurement_.runtimes_ns.push_back(ns);
      spent_ms += runs * ns / 1e6;
    }
    measurement_.best_ns =
        *std::min_element(measurement_.runtimes_ns.begin(), measurement_.runtimes_ns.end());
    for (const std::size_t array : outputs_) {
      if (problems_.IsAsKept(array, 0, Shape(array).elements)) continue;
      if (!CheckOutput(0, array, "after the timed runs")) return false;
    }
    measurement_.verdict = verdict;
    return CheckGuards("after the timed runs");
  }

  // ---- Counting ----

  /// Of a batch each. False: that decides the verdict.
  bool Count(CounterReading& reading) {
    constexpr double kBatchNs = 1e7, kMostRuns = 1e6;
    reading.tool = "perf_event_open";
    RunnerCommand run;
    run.op = RunnerCommand::kRun;
    run.runs = static_cast<std::uint64_t>(
        std::clamp(kBatchNs / std::max(measurement_.best_ns, 1.0), 1.0, kMostRuns));
    std::map<std::string, std::vector<std::string_view>> missing;  // By reason.
    for (const TaskEvent& event : TaskEvents()) {
      TaskCounter counter(event, process_->pid());
      if (counter.error() != 0) {
        missing[WhyNotCounted(counter.error())].push_back(event.name);
        continue;
      }
      counter.Start();
      RunnerReply reply;
      if (!Ask(run, reply)) return false;
      const double counted = counter.Stop();
      process_->Pause();
      if (reply.why[0] != '\0') return Fail(Verdict::kCrash, reply.why);
      reading.counters.push_back({std::string(event.key), counted / static_cast<double>(run.runs),
                                  std::string(event.unit), std::string(event.name)});
    }
    for (const auto& [why, events] : missing) {
      reading.why +=
          fmt::format("{}{}: {}", reading.why.empty() ? "" : "\n", fmt::join(events, ", "), why);
    }
    return true;
  }

  /// Was the last batch the fastest, and not by accident? Large arrays take some runs until the
  /// caches have them where they will stay.
  bool IsWarming() const {
    constexpr double kFaster = 0.97;
    const std::vector<double>& times = measurement_.runtimes_ns;
    return times.back() < kFaster * *std::min_element(times.begin(), times.end() - 1);
  }

  /// What came of a batch that is not believed.
  struct Doubt {
    Verdict verdict = Verdict::kCorrect;
    std::string why;
    double said_ns = 0;  ///< How long the batch lasted, by what its process says.
  };

  /// Mean of at least `runs` runs, expected to take `ns` each. A doubt may be the machine's fault:
  /// it must come up again in batches that last longer and longer. Threads that go on computing,
  /// waiting for each other, until this side is woken do so for as long after a short batch as
  /// after a long one; what its process holds back of the time grows with the batch. The watch of
  /// this side does not tell how long a batch lasted: it counts how late this side was woken, and
  /// on a busy machine it would call every batch a long one.
  bool Batch(std::uint64_t runs, double& ns) {
    constexpr int kTries = 5;
    constexpr double kSureNs = 1e7, kLongNs = 2e7, kLonger = 4, kMuchLonger = 100;
    constexpr double kMostNs = 4e7, kMuchTooLongNs = 5e8;
    Doubt doubt;
    for (int tries = 0; tries < kTries; ++tries) {
      doubt = {};
      if (!BatchOnce(runs, ns, doubt)) return false;
      if (doubt.verdict == Verdict::kCorrect) return true;
      const bool long_enough = std::max(doubt.said_ns, Computed()) >= kLongNs;
      if (long_enough || process_->wall_ns() >= kMuchTooLongNs) continue;
      // What its process says may be nothing: what it computed is what the next batch costs.
      const double more =
          std::min(kSureNs / std::max(doubt.said_ns, 1.0), kMostNs / std::max(Computed(), 1.0));
      runs *= static_cast<std::uint64_t>(std::clamp(more, kLonger, kMuchLonger));
    }
    return Fail(doubt.verdict, doubt.why);
  }

  /// Outputs, or parts of them, are spoilt before, and some elements in the middle of it, when
  /// nobody is told; they are looked at after.
  bool BatchOnce(std::uint64_t runs, double& ns, Doubt& doubt, bool plants = true) {
    const bool all = runs > 1 && output_bytes_ <= kWholeBytes;
    ChooseParts(all);
    for (const Part& part : parts_) problems_.Spoil(0, part.array, part.begin, part.count);
    // A run that warms up is asked for by itself: on a busy machine its threads may wait for each
    // other, computing, for longer than the batch lasts.
    if (all && !RunOnce(0)) return false;
    RunnerCommand run;
    run.op = RunnerCommand::kRun;
    // Never the same number, so that no period of its own hides what a candidate does.
    run.runs = runs + (runs > 1 ? random_() % (runs / 8 + 2) : 0);
    const auto timed = static_cast<double>(run.runs);
    planted_.clear();
    Meanwhile meanwhile;
    constexpr std::uint64_t kManyRuns = 16;
    constexpr double kEarly = 0.4;
    if (plants && run.runs >= kManyRuns) meanwhile = {kEarly * ns * timed, [this] { Plant(); }};
    RunnerReply reply;
    if (!Ask(run, reply, std::move(meanwhile))) return false;
    if (reply.why[0] != '\0') return Fail(Verdict::kCrash, reply.why);
    process_->Pause();
    // Several runs began after that, if its process is right about the time.
    constexpr double kRunsSince = 6;
    const bool settled = reply.end_ns - planted_ns_ > kRunsSince * reply.ns / timed;
    if (!planted_.empty() && !settled && !IsAsKept()) {
      // The run that was disturbed may have been the last one: nothing can be said.
      return BatchOnce(runs, ns, doubt, false);
    }
    doubt.said_ns = reply.ns;
    if (const std::string left = TakeBack(); !left.empty()) {
      doubt.verdict = Verdict::kWrong;
      doubt.why = left;
    }
    if (!CheckParts(0, "at the end of a timed batch")) return false;
    if (doubt.verdict == Verdict::kCorrect) Believe(run, reply, ns, doubt);
    return true;
  }

  /// What a thread of its process computed in the last batch, in ns.
  double Computed() const { return process_->cpu_ns() / std::max(request_.threads, 1); }

  /// The time of a run by what the process says, as far as this side can see that.
  void Believe(const RunnerCommand& run, const RunnerReply& reply, double& ns, Doubt& doubt) const {
    const auto timed = static_cast<double>(run.runs);
    ns = reply.ns / timed;
    if (has_before_) return;  // Most of what it computed was not on the clock.
    // The watch here runs until we are woken, and on a busy machine that may take a while: it
    // counts where the other one is far off. What the threads computed is the system's knowledge,
    // and nobody computes for longer than it took.
    constexpr double kWakeNs = 5e5, kCallNs = 1e5, kSlack = 1.1;
    if (!(reply.ns * kSlack + kCallNs >= Computed())) {
      doubt.verdict = Verdict::kImpossible;
      doubt.why = fmt::format("its process says {:.4g} ns a run, and computed {:.4g} ns", ns,
                              Computed() / timed);
    }
    const double wall = process_->wall_ns();
    if (!(reply.ns * 2 + kWakeNs >= wall)) ns = wall / timed;
  }

  /// Wrong numbers in a few elements, while the candidate runs.
  void Plant() {
    constexpr int kPlanted = 8;
    for (int i = 0; i < kPlanted; ++i) {
      const std::size_t array = outputs_[random_() % outputs_.size()];
      const SharedShape& shape = Shape(array);
      if (shape.elements == 0) continue;
      const std::size_t index = random_() % shape.elements;
      const std::uint32_t bytes = ir::BytesOf(shape.type);
      const std::uint64_t wrong =
          OtherBits(shape.type, problems_.kept(array).data() + index * bytes);
      WriteBits(problems_.arrays().output(array).data() + index * bytes, bytes, wrong);
      planted_.push_back({array, index, wrong});
    }
    planted_ns_ = std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count();
  }

  /// Says which of them nobody wrote again, and puts what was kept in its place.
  std::string TakeBack() {
    std::string left;
    for (const Planted& planted : planted_) {
      const std::uint32_t bytes = ir::BytesOf(Shape(planted.array).type);
      const std::size_t place = planted.index * bytes;
      std::byte* const element = problems_.arrays().output(planted.array).data() + place;
      if (ReadBits(element, bytes) != planted.bits) continue;
      std::memcpy(element, problems_.kept(planted.array).data() + place, bytes);
      left = fmt::format(
          "{}[{}] is not computed in every run: spoilt in the middle of a timed batch, "
          "it was so at the end",
          problems_.problem(0).arrays[planted.array].name, planted.index);
    }
    return left;
  }

  /// Parts and what was planted.
  bool IsAsKept() {
    return std::ranges::all_of(parts_,
                               [this](const Part& part) {
                                 return problems_.IsAsKept(part.array, part.begin, part.count);
                               }) &&
           std::ranges::all_of(planted_, [this](const Planted& planted) {
             return problems_.IsAsKept(planted.array, planted.index, 1);
           });
  }

  const CpuRunRequest& request_;
  ProblemSet& problems_;
  double left_s_;
  bool is_first_run_ = true;
  bool has_before_ = false;  ///< Of a yardstick: runs begin with what is not on the clock.
  std::vector<std::size_t> outputs_;
  std::size_t output_bytes_ = 0;
  ContainedProcess* process_ = nullptr;
  Containment contained_;
  std::mt19937_64 random_{std::random_device{}()};
  std::vector<Part> parts_;
  struct Planted {
    std::size_t array, index;
    std::uint64_t bits;
  };
  std::vector<Planted> planted_;
  double planted_ns_ = 0;
  Measurement measurement_;
};

}  // namespace

Measurement RunCandidate(const CpuRunRequest& request, ProblemSet& problems, ForkServer& server,
                         const StopToken* stop) {
  if (!problems.error().empty()) return Failure(Verdict::kBroken, problems.error());
  return CandidateRun(request, problems).Run(server, stop);
}

}  // namespace exh::kernels::cpu
