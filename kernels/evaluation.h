// SPDX-License-Identifier: MIT
//
// What a device answers about a candidate. Compilers and kernels fail all the time: every outcome
// is a value here, never an exception.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/launch.h"
#include "kernels/vendor_call.h"

namespace exh::kernels {

enum class Verdict {
  kCorrect,       ///< Ran, and agreed with the double-precision reference.
  kWrong,         ///< Ran, but an element is outside its tolerance, NaN, or a guard zone changed.
  kCompileError,  ///< The compiler refused the source, or crashed.
  kCompileTimeout,
  kSpills,   ///< Its registers do not suffice: rejected before it is timed.
  kCrash,    ///< The process that ran it died.
  kTimeout,  ///< It ran past the limit.
  /// Stopped early: slower than the cap, or far behind by the time of a part of it
  /// (Measurement::estimate_ns). An evaluation, not a failure.
  kSlow,
  /// Ran and seemed right, but took less time than is possible: less than its own lower bound, or
  /// than passed on the clock of the process that watches. Never the best.
  kImpossible,
  /// Ran, and nobody says whether its results are right: of a program of a user. Never the best.
  kUnchecked,
  /// Not compiled: by the number of its instructions it is far behind what is known (an estimate,
  /// Source::rough_ns; no bound and no proof).
  kIdle,
  /// Code generation has no code for it, though the space allows it: a mistake of the space.
  kRefused,
  /// A check of our own failed on it (base/check.h): a mistake of ours. It was dropped.
  kInternal,
  kBroken,   ///< The environment failed (no compiler, no disk): not the candidate's fault.
  kStopped,  ///< The run ended before it was known (stop.h). Nothing is recorded of it.
};
/// "correct", "wrong", "compile_error", … as in the log.
std::string_view VerdictName(Verdict verdict);
/// The verdict with this name; nothing when there is none.
std::optional<Verdict> VerdictOf(std::string_view name);

/// What a source says of a GPU kernel.
struct GpuKernel {
  Launch launch;
  std::uint64_t least_registers = 0;  ///< A thread cannot do with fewer.
  std::uint32_t min_blocks = 1;       ///< That a multiprocessor shall hold.
};

/// The kernel of a printed GPU program that may have others beside it.
inline constexpr std::string_view kMainKernel = "exh_kernel";
/// All launches of a program in their order, the main kernel among them.
std::vector<SideLaunch> InOrder(const Launch& launch);

/// A candidate as text, ready for the compiler of its device.
struct Source {
  std::string text;
  /// Not kCorrect: it is not compiled, for the reason `why`.
  Verdict verdict = Verdict::kCorrect;
  std::string why = {};
  /// About how long a run takes, by the number of instructions; 0: nobody knows. Off by factors.
  double rough_ns = 0;
  /// A guess of it that knows caches and registers as well: nearly in proportion to times, and so
  /// only compared with other guesses; 0: there is none.
  double guess_ns = 0;
  /// How blocks divide its reductions among them: values of `across_blocks`
  /// (kernels/spaces/across.exh) with a '+' between. Empty: they divide none.
  std::string across;
  bool bits_vary = false;  ///< Runs with the same inputs may differ in the bits of their results.
  std::uint64_t argument_bytes = 0;  ///< Of all arrays.
  /// Of main memory that a run takes beside them: temporaries of all blocks that are not in the
  /// memory of a block, and what blocks have of divided reductions.
  std::uint64_t workspace_bytes = 0;
  /// Of what may run for ever: the same with loops that look at the clock
  /// (codegen::GpuOptions::gives_up). Empty: it need not be tried with care.
  std::string careful;
  std::optional<GpuKernel> gpu;  ///< Nothing: it is no kernel of a GPU.

  std::uint64_t memory_bytes() const { return argument_bytes + workspace_bytes; }

  Source() = default;
  Source(std::string source_text) : text(std::move(source_text)) {}  // NOLINT: a text is a source
  Source(const char* source_text) : text(source_text) {}             // NOLINT
  Source(std::string source_text, const Launch& launch)
      : text(std::move(source_text)), gpu(GpuKernel{launch}) {}
};

/// The source without blank lines and lines that are only a comment: two implementations that
/// differ in nothing that is compiled have the same one.
std::string WithoutComments(const std::string& source);

/// What a GPU runs in the place of a candidate: its kernel, or routines of the vendor's library.
struct GpuCode {
  Launch launch;
  int registers = 0;                 ///< Of a thread.
  std::optional<VendorCall> vendor;  ///< Routines instead of a kernel …
  bool vendor_lt = false;            ///< … and the best of what the newer library suggests.
};

/// A candidate that was compiled, or why it could not be.
struct Compiled {
  Verdict verdict = Verdict::kCorrect;  ///< kCorrect: `library` can be run.
  std::string why;                      ///< First lines of the compiler's complaint.
  std::string source;                   ///< The text.
  std::string library;                  ///< Path of the shared object, or of the cubin.
  double compile_ms = 0;
  std::optional<GpuCode> gpu;  ///< Nothing: a processor runs it.
};

/// What comes of a source that is not compiled (Source::verdict); nothing: it is.
std::optional<Compiled> NotCompiled(const Source& source);

/// What a GPU reaches by itself, measured beside candidates. Bytes of copies are those read and
/// those written.
struct MeasuredRates {
  double driver_copy_gbs = 0;  ///< The driver's copy within the device, GB/s.
  double kernel_copy_gbs = 0;  ///< Our own copy.
  double fma_gflops = 0;       ///< Multiply-adds in registers.
  double clock_mhz = 0;        ///< Of the multiprocessors meanwhile.
  double copy_gbs() const {
    return driver_copy_gbs > kernel_copy_gbs ? driver_copy_gbs : kernel_copy_gbs;
  }
};

struct Measurement {
  Verdict verdict = Verdict::kBroken;
  std::string why;
  double compile_ms = 0, check_ms = 0;
  std::vector<double> runtimes_ns;  ///< Mean of each batch.
  std::vector<double> clocks_mhz;   ///< Of a GPU's multiprocessors, beside each batch.
  int blocks_per_sm = 0;  ///< Of a GPU kernel: blocks that a multiprocessor holds at once.
  double best_ns = 0;     ///< Minimum of runtimes_ns; what search compares.
  /// Of launches one by one (Evaluator::Repeat): how many different results, bit by bit.
  std::uint64_t results = 0;
  /// What all of it takes by the time of so many of its blocks, which are alike; 0: no part of it
  /// was timed by itself. kSlow: what was not run whole for that reason.
  double estimate_ns = 0;
  std::uint64_t estimate_blocks = 0;
  double max_error = 0;        ///< Largest |x - reference|.
  double max_error_ratio = 0;  ///< Largest |x - reference| / tolerance; above 1 is wrong.
};

}  // namespace exh::kernels
