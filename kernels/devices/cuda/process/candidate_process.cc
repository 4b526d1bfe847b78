// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/process/candidate_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/devices/cuda/driver/program.h"
#include "kernels/devices/cuda/driver/timer.h"
#include "kernels/devices/cuda/probes/rates.h"
#include "kernels/devices/cuda/process/answer_stream.h"
#include "kernels/devices/cuda/process/data_set.h"
#include "kernels/devices/cuda/process/run_protocol.h"
#include "kernels/devices/cuda/vendor/vendor.h"

namespace exh::kernels::cuda {
namespace {

using Clock = std::chrono::steady_clock;

/// NaN as any float.
constexpr unsigned char kNanByte = 0xFF;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether blocks add to the outputs in any order: a kernel before fills them for that. Runs with
/// the same inputs may be rounded differently then.
bool AddsInAnyOrder(const Launch& launch) {
  return launch.in_any_order || std::ranges::any_of(launch.sides, &SideLaunch::is_before);
}

/// What stays from candidate to candidate.
class Bench {
 public:
  Bench(const Driver& driver, const RunSetup& setup)
      : gpu_(driver, setup.ordinal), programs_(gpu_, ReadFile(setup.programs)) {
    cold_ = setup.cold;
    Load(setup.problems);
    timer_.emplace(gpu_, programs_.Function("exh_clock"));
  }

  /// Arrays of these files in the place of those that there are.
  void Load(const std::vector<std::string>& files) {
    sets_.clear();
    for (const std::string& file : files) {
      const cpu::MappedProblem problem(file);
      if (!problem.error().empty()) throw GpuError(problem.error());
      std::size_t bytes = 0;
      for (const auto& array : problem.problem().arrays)
        bytes += array.elements() * ir::BytesOf(array.type);
      const bool rotates = cold_ && sets_.empty();
      sets_.push_back(
          std::make_unique<DataSet>(gpu_, problem.problem(), programs_,
                                    rotates ? CopiesForColdL2(bytes, gpu_.facts().l2_bytes) : 1));
    }
  }

  const Gpu& gpu() const { return gpu_; }

  RunAnswer Run(const RunRequest& request) {
    RunAnswer answer;
    Measurement& m = answer.measurement;
    m.verdict = Verdict::kCorrect;
    try {
      RunOrThrow(request, answer);
    } catch (const GpuError& error) {
      m.verdict = Verdict::kCrash;
      m.why = error.what();
      answer.ends = true;  // Whatever it was, this context is not trusted any further.
    }
    return answer;
  }

 private:
  /// One launch on copy number `i` of the arrays of a set.
  using LaunchOne = std::function<void(DataSet&, std::size_t)>;

  void RunOrThrow(const RunRequest& request, RunAnswer& answer) {
    if (request.rates) {
      answer.rates = MeasureRates(gpu_, *timer_,
                                  {programs_.Function("exh_copy"), programs_.Function("exh_fma")});
      return;
    }
    if (!request.problems.empty()) return Load(request.problems);
    for (const auto& set : sets_) set->Forgive(LostByAtomics(request));
    if (request.vendor) return RunVendor(request, answer);
    Measurement& m = answer.measurement;
    const std::string cubin = ReadFile(request.cubin);
    if (cubin.empty()) {
      m.verdict = Verdict::kBroken;
      m.why = fmt::format("cannot read {}", request.cubin);
      return;
    }
    if (std::string why = DeviceProgram::ProblemOf(gpu_, request.launch); !why.empty()) {
      m.verdict = Verdict::kBroken;
      m.why = std::move(why);
      return;
    }
    const Module module(gpu_, cubin);
    DeviceProgram program(gpu_, module, request.launch);
    m.blocks_per_sm = program.main().blocks_per_sm;
    for (const DeviceProgram::Kernel& kernel : program.all()) {
      if (kernel.blocks_per_sm > 0) continue;
      m.verdict = Verdict::kCrash;
      m.why = fmt::format("no multiprocessor holds a block of {} threads with {} bytes{}",
                          kernel.launch.threads, kernel.launch.shared_bytes,
                          kernel.name == kMainKernel ? "" : ", of " + kernel.name);
      return;
    }
    for (const auto& set : sets_) {
      for (std::size_t copy = 0; copy < set->copies(); ++copy) {
        program.Prepare(set->Arguments(copy, nullptr));
      }
    }
    const std::size_t scratch_bytes = request.launch.scratch_bytes();
    if (scratch_bytes > scratch_.bytes()) scratch_ = DeviceBuffer(gpu_, scratch_bytes);
    const auto launch = [&](DataSet& set, std::size_t copy) {
      CUdeviceptr scratch = scratch_.data();
      program.Enqueue(set.Arguments(copy, scratch_bytes > 0 ? &scratch : nullptr));
    };
    const std::uint64_t part = PartOf(request, program);
    if (request.give_up_ns > 0) return TryWithCare(request, program, part, answer);
    if (part > 0 && !IsWorthIt(request, program, part, answer)) return;
    CheckAndTime(request, launch, answer);
  }

  /// How many of the blocks of a program say what all of them take: whole waves, so that every
  /// multiprocessor has as many as it holds, and enough of the grid that what the beginning of a
  /// launch costs is little of it. 0: it is launched whole. What has several kernels, or blocks
  /// that meet, does not say what it takes in part.
  std::uint64_t PartOf(const RunRequest& request, const DeviceProgram& program) const {
    constexpr std::uint64_t kLeastWaves = 2, kMostParts = 16;
    const Launch& launch = request.launch;
    if (request.worth_ns <= 0 || !launch.sides.empty() || launch.workspace_bytes > 0) return 0;
    const auto wave = static_cast<std::uint64_t>(gpu_.facts().multiprocessors) *
                      static_cast<std::uint64_t>(program.main().blocks_per_sm);
    if (wave == 0 || launch.grid / wave < kLeastWaves) return 0;
    const std::uint64_t part = wave * std::max<std::uint64_t>(1, launch.grid / wave / kMostParts);
    return part - part % launch.cluster;  // Whole clusters.
  }

  /// Times some of the blocks of a program. False: by that all of it takes too long, or its verdict
  /// is known.
  bool IsWorthIt(const RunRequest& request, DeviceProgram& program, std::uint64_t blocks,
                 RunAnswer& answer) {
    // What is near what decides is looked at twice: something else may have delayed the first.
    constexpr int kLooks = 2;
    constexpr double kNear = 2;
    Measurement& m = answer.measurement;
    DataSet& set = *sets_[kTimed];
    const double parts = static_cast<double>(request.launch.grid) / static_cast<double>(blocks);
    const std::string which = fmt::format("{} of {} blocks", blocks, request.launch.grid);
    CUdeviceptr scratch = scratch_.data();
    const std::vector<void*> arguments =
        set.Arguments(0, request.launch.scratch_bytes() > 0 ? &scratch : nullptr);
    m.estimate_blocks = blocks;
    for (int look = 0; look < kLooks; ++look) {
      set.PoisonOutputs();
      ClearScratch(request.launch);
      gpu_.Synchronize();
      const double limit = request.cap_ns / parts + request.patience_ns;
      const std::optional<double> ns =
          timer_->Once([&] { program.EnqueueBlocks(arguments, blocks); }, limit);
      if (!ns) {
        m.estimate_ns = 0;
        GiveUp(limit, request.cap_ns, answer);
        m.why = which + ": " + m.why;
        return false;
      }
      m.estimate_ns = look == 0 ? *ns * parts : std::min(m.estimate_ns, *ns * parts);
      if (m.estimate_ns <= request.worth_ns) return true;
      if (m.estimate_ns > kNear * request.worth_ns) break;
    }
    const DataSet::Verdict untouched = set.CheckUntouched();
    answer.ends |= untouched.is_spoilt;
    m.verdict = untouched.why.empty() ? Verdict::kSlow : Verdict::kWrong;
    m.why = untouched.why.empty()
                ? fmt::format("about {:.3g} ms by {}; it is not run whole above {:.3g} ms",
                              m.estimate_ns / 1e6, which, request.worth_ns / 1e6)
                : untouched.why;
    return false;
  }

  /// Atomic adds of floats take a denormal, and what would become one, for 0 (the PTX manual,
  /// `red`): at most the least normal float for each block that adds.
  static double LostByAtomics(const RunRequest& request) {
    const bool adds = std::ranges::any_of(request.launch.sides,
                                          [](const SideLaunch& side) { return side.is_before; });
    constexpr double kLeastNormal = std::numeric_limits<float>::min();
    return adds && !request.vendor ? kLeastNormal * static_cast<double>(request.launch.grid) : 0;
  }

  /// Whether a program that looks at the clock ends before it gives up. Of one that is launched in
  /// part (0: it is not), in its share of that time.
  void TryWithCare(const RunRequest& request, DeviceProgram& program, std::uint64_t part,
                   RunAnswer& answer) {
    Measurement& m = answer.measurement;
    const double share =
        part == 0 ? 1 : static_cast<double>(part) / static_cast<double>(request.launch.grid);
    const double give_up_ns = share * request.give_up_ns;
    auto wait = static_cast<std::uint64_t>(give_up_ns);
    CUdeviceptr deadline = deadline_.data(), scratch = scratch_.data();
    std::array<void*, 2> clock = {&wait, &deadline};
    std::vector<void*> arguments = sets_.front()->Arguments(0, &scratch);
    arguments.push_back(&deadline);
    ClearScratch(request.launch);
    gpu_.Synchronize();
    // The time begins before the deadline is set: whatever comes between the launches, a kernel
    // that gave up has taken at least as long as it may.
    const auto launch = [&] {
      gpu_.Launch(programs_.Function("exh_deadline"), {1, 1, 0, 0}, clock.data());
      if (part > 0) {
        program.EnqueueBlocks(arguments, part);
      } else {
        program.Enqueue(arguments);
      }
    };
    const double limit = give_up_ns + request.patience_ns;
    const std::optional<double> ns = timer_->Once(launch, limit);
    if (!ns) return GiveUp(limit, request.cap_ns, answer);
    if (part == 0) m.best_ns = *ns;
    if (*ns < give_up_ns) return;
    m.verdict = Verdict::kSlow;
    m.why = fmt::format("gave up after {:.3g} ms{}, the cap is {:.3g} ms", *ns / 1e6,
                        part == 0 ? "" : fmt::format(" for {:.2g} of its blocks", share),
                        request.cap_ns / 1e6);
  }

  /// The vendor's routines, as if they were a candidate.
  void RunVendor(const RunRequest& request, RunAnswer& answer) {
    if (!vendor_) vendor_.emplace(gpu_, *timer_, programs_);
    vendor_->Prepare(*request.vendor, sets_.front()->addresses(), request.vendor_lt);
    bool prepared = false;
    const auto launch = [&](DataSet&, std::size_t copy) {
      if (!std::exchange(prepared, true)) vendor_->Before();
      vendor_->Launch(copy);
    };
    answer.measurement.why = vendor_->description();
    CheckAndTime(request, launch, answer,
                 request.vendor->before.empty() ? Trust::kYardstick : Trust::kAddsInPlace);
  }

  /// What is asked of a result.
  enum class Trust {
    kCandidate,    ///< Everything.
    kYardstick,    ///< The timed problem: the vendor's routines are bound to its arrays.
    kAddsInPlace,  ///< The same, once: another run yields something else.
  };

  /// First one launch on the problem that is timed, whose result is checked and whose hash is kept.
  /// Then batches; outputs are poisoned before each, and have that hash behind it. Last, with
  /// inputs that the candidate has not seen before, the other problems.
  void CheckAndTime(const RunRequest& request, const LaunchOne& launch, RunAnswer& answer,
                    Trust trust = Trust::kCandidate) {
    Measurement& m = answer.measurement;
    const auto start = Clock::now();
    double once_ns = 0;
    if (!RunChecked(kTimed, "", request, launch, answer, &once_ns)) return;
    DataSet& set = *sets_[kTimed];
    set.TakeHash(0, 0);
    const std::uint64_t hash = set.Hashes(1).front();
    m.check_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (request.cap_ns > 0 && once_ns > request.cap_ns) {
      m.runtimes_ns = {once_ns};
      m.best_ns = once_ns;
      m.verdict = Verdict::kSlow;
      m.why = fmt::format("{:.0f} us, the cap is {:.0f} us", once_ns / 1e3, request.cap_ns / 1e3);
      return;
    }
    if (request.launches > 0) return RunOneByOne(request, launch, answer);
    TimerOptions options = {request.batch_ns, request.batches, request.stop_ns, {}, {}};
    if (trust != Trust::kAddsInPlace) {
      const auto copy_of = [&](int last) { return static_cast<std::size_t>(last) % set.copies(); };
      options.before = [&, copy_of](int last) { set.PoisonOutputs(copy_of(last)); };
      options.after = [&, copy_of](int last) {
        set.TakeHash(copy_of(last), 0);
        if (set.Hashes(1).front() == hash) return true;
        // Sums may be rounded differently where their order is open (a vendor's routine, blocks
        // that add to the output).
        return Check(set, copy_of(last), " after a timed batch", answer);
      };
    }
    const Timing timing = timer_->Time(
        [&](int i) { launch(set, static_cast<std::size_t>(i) % set.copies()); }, once_ns, options);
    m.runtimes_ns = timing.batch_ns;
    m.clocks_mhz = timing.clocks_mhz;
    m.best_ns = *std::min_element(m.runtimes_ns.begin(), m.runtimes_ns.end());
    if (m.verdict != Verdict::kCorrect || trust == Trust::kAddsInPlace) return;
    if (!Check(set, 0, " after the timed runs", answer) || trust == Trust::kYardstick) return;
    const auto again = Clock::now();
    if (request.full && !RunManyTimes(request, launch, once_ns, hash, answer)) return;
    constexpr const char* kWhen[] = {"", " on whole numbers, after the timed runs",
                                     " on other inputs, after the timed runs",
                                     " on special values"};
    for (std::size_t number = kWholeNumbers; number < sets_.size(); ++number) {
      if (number > kWholeNumbers && !request.full) break;
      if (!RunChecked(number, kWhen[number], request, launch, answer, nullptr)) return;
    }
    m.check_ms += std::chrono::duration<double, std::milli>(Clock::now() - again).count();
  }

  /// One launch into poisoned outputs, and the check of all that it wrote. False: that decides
  /// the verdict.
  bool RunChecked(std::size_t number, const char* when, const RunRequest& request,
                  const LaunchOne& launch, RunAnswer& answer, double* once_ns) {
    DataSet& set = *sets_[number];
    set.PoisonOutputs();
    ClearScratch(request.launch);
    gpu_.Synchronize();
    const double limit = request.cap_ns + request.patience_ns;
    const std::optional<double> ns = timer_->Once([&] { launch(set, 0); }, limit);
    if (!ns) {
      GiveUp(limit, request.cap_ns, answer);
      return false;
    }
    if (once_ns != nullptr) *once_ns = *ns;
    return Check(set, 0, when, answer);
  }

  /// Poisons temporaries and what blocks leave for each other, after all that was enqueued: what an
  /// earlier run left there is no input. Tickets are 0, whether or not it ended.
  void ClearScratch(const Launch& launch) {
    gpu_.FillBytes(scratch_.data(), kNanByte, scratch_.bytes());
    gpu_.FillBytes(scratch_.data(), 0, launch.ticket_bytes);
  }

  /// What differs between launches with the same inputs: times, and bits.
  void RunOneByOne(const RunRequest& request, const LaunchOne& launch, RunAnswer& answer) {
    Measurement& m = answer.measurement;
    DataSet& set = *sets_[kTimed];
    std::set<std::uint64_t> results;
    for (int number = 0; number < request.launches; ++number) {
      double ns = 0;
      if (!RunChecked(kTimed, " in one of many launches", request, launch, answer, &ns)) return;
      set.TakeHash(0, 0);
      results.insert(set.Hashes(1).front());
      m.runtimes_ns.push_back(ns);
    }
    m.best_ns = *std::min_element(m.runtimes_ns.begin(), m.runtimes_ns.end());
    m.results = results.size();
  }

  /// Launches one by one, each into poisoned outputs: what is wrong only now and then is wrong in
  /// one of them. As many as there is time for.
  bool RunManyTimes(const RunRequest& request, const LaunchOne& launch, double once_ns,
                    std::uint64_t hash, RunAnswer& answer) {
    constexpr double kShortNs = 50e6, kAudited = 128;
    DataSet& set = *sets_[kTimed];
    const double each_ns = std::max(once_ns, 1.0);
    const double wanted =
        std::max(kShortNs / each_ns, std::min(kAudited, request.audit_ns / each_ns));
    const auto count = static_cast<std::size_t>(std::clamp(wanted, 3.0, double{DataSet::kHashes}));
    const bool has_one_result = !AddsInAnyOrder(request.launch);
    for (std::size_t run = 0; run < count; ++run) {
      set.PoisonOutputs();
      launch(set, 0);
      if (has_one_result) {
        set.TakeHash(0, run);
      } else if (!Check(set, 0, " in one of many runs", answer)) {
        return false;
      }
    }
    if (!has_one_result) return true;
    const std::vector<std::uint64_t> hashes = set.Hashes(count);
    const auto other = std::ranges::find_if(hashes, [&](std::uint64_t one) { return one != hash; });
    if (other == hashes.end()) return true;
    // The outputs of that run are gone. Another one like it is as good: what it computes depends on
    // something else than its inputs.
    answer.measurement.verdict = Verdict::kWrong;
    answer.measurement.why =
        fmt::format("run {} of {} with the same inputs yields something else than the first one",
                    other - hashes.begin() + 1, count);
    return false;
  }

  static bool Check(const DataSet& set, std::size_t copy, const char* when, RunAnswer& answer) {
    Measurement& m = answer.measurement;
    const DataSet::Verdict verdict = set.Check(copy);
    answer.ends |= verdict.is_spoilt;
    m.max_error = std::max(m.max_error, verdict.max_error);
    m.max_error_ratio = std::max(m.max_error_ratio, verdict.max_ratio);
    if (verdict.why.empty()) return true;
    m.verdict = Verdict::kWrong;
    m.why = verdict.why + when;
    return false;
  }

  static void GiveUp(double waited_ns, double cap_ns, RunAnswer& answer) {
    answer.measurement.verdict = Verdict::kSlow;
    answer.measurement.why = fmt::format("did not end in {:.0f} ms, the cap is {:.3g} ms",
                                         waited_ns / 1e6, cap_ns / 1e6);
    answer.ends = true;
  }

  Gpu gpu_;
  Module programs_;
  bool cold_ = false;
  std::vector<std::unique_ptr<DataSet>> sets_;
  std::optional<Timer> timer_;
  std::optional<Vendor> vendor_;
  DeviceBuffer deadline_{gpu_, sizeof(std::uint64_t)};
  DeviceBuffer scratch_;  ///< Launch::scratch_bytes(), or more.
};

std::unique_ptr<Bench> MakeBench(const std::string& line, RunReady& ready) {
  const std::optional<RunSetup> setup = ParseRunSetup(line);
  if (!setup) {
    ready.why = "the set-up is not understood";
    return nullptr;
  }
  const DriverOrProblem loaded = Driver::Load(setup->drivers);
  if (!loaded.driver) {
    ready.why = loaded.problem;
    return nullptr;
  }
  try {
    auto bench = std::make_unique<Bench>(*loaded.driver, *setup);
    ready.gpu = bench->gpu().facts().name;
    ready.driver = loaded.driver->version();
    return bench;
  } catch (const GpuError& error) {
    ready.why = error.what();
    return nullptr;
  }
}

}  // namespace

int CandidateProcessMain() {
  const AnswerStream answers;
  std::string line;
  if (!std::getline(std::cin, line)) return 0;
  RunReady ready;
  const std::unique_ptr<Bench> bench = MakeBench(line, ready);
  if (!answers.Write(ToJsonLine(ready)) || !bench) ::_exit(bench ? 0 : 1);
  while (std::getline(std::cin, line)) {
    const std::optional<RunRequest> request = ParseRunRequest(line);
    RunAnswer answer;
    if (request) {
      answer = bench->Run(*request);
    } else {
      answer.measurement.verdict = Verdict::kBroken;
      answer.measurement.why = "the request is not understood";
    }
    // No destructors: they would wait for a kernel that does not end.
    if (!answers.Write(ToJsonLine(answer)) || answer.ends) ::_exit(0);
  }
  ::_exit(0);
}

}  // namespace exh::kernels::cuda
