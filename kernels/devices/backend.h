// SPDX-License-Identifier: MIT
//
// Backend: everything that differs from one kind of device to another. What a device can do is data
// (kernels/ir/device.h). How an implementation becomes text for it, and the text a time, is a
// subclass of this; the device's JSON file names it by its `language`. Nobody else asks which
// device it is. A new kind costs one subclass in a folder of its own, a line in all_backends.cc,
// and a JSON file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/devices/device.h"
#include "kernels/devices/evaluator.h"
#include "kernels/devices/own/own_kernel.h"
#include "kernels/evaluation.h"
#include "kernels/ir/device.h"
#include "kernels/ir/text/type_text.h"

namespace exh::runtime {
class Candidate;
}

namespace exh::kernels {

namespace codegen {
struct LoweredCode;
}
struct Task;
class Workload;
namespace package {
struct LibraryKind;
struct Unit;
}  // namespace package

/// A line of `search doctor`.
struct Finding {
  enum class Kind {
    kGood,
    kBad,   ///< A search cannot do without it: the doctor fails.
    kNote,  ///< Without it some searches cannot be run.
  };
  Kind kind = Kind::kNote;
  std::string what;  ///< "compiler"; empty: more on the line before.
  std::string text;
};

/// What runs in a process of its own: a hidden sub-command of the program. Its evaluator starts it.
struct ProcessMain {
  const char* command;
  const char* what;  ///< For who asks for its help.
  int (*main)();     ///< Returns the exit code.
  /// In the place of `main`: it is given the path of a file.
  int (*main_of_file)(const std::string& path) = nullptr;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // ---- What it is
  // ---------------------------------------------------------------------------------

  /// `language` in the JSON file of a device: "c++".
  virtual std::string_view language() const = 0;
  /// What printers that serve several backends write for it.
  virtual ir::Dialect dialect() const = 0;
  /// Of a file with a source: ".cc".
  virtual std::string_view suffix() const = 0;
  /// Is it one of several in a machine, which --gpu picks?
  virtual bool is_gpu() const { return false; }
  /// Those that are in this machine, where is_gpu().
  virtual std::vector<GpuHere> Gpus() const { return {}; }
  /// Does other work of this machine's processor make its times longer?
  virtual bool shares_processor() const { return false; }
  /// Lines about what it needs on this machine.
  virtual std::vector<Finding> Examine() const { return {}; }

  // ---- Its limits and rates
  // -----------------------------------------------------------------------

  /// May this field of a device be "detect"?
  virtual bool Detects(std::string_view /*field*/) const { return false; }
  /// A device with the limits of this machine in the fields that it Detects(), or one line that
  /// says why there are none and what would help. `gpu`: which one, where is_gpu().
  virtual DeviceResult Detect(int gpu) const;
  /// Why the device cannot have its `tensor_units`; empty: it can. By default it has none.
  virtual std::string ProblemOfUnits(const ir::Device& device) const;
  /// The same of `bulk_copies`.
  virtual std::string ProblemOfBulkCopies(const ir::Device& device) const;
  /// The file with the rates of a device (models/device_rates.h), whether it is there or not; by
  /// default the one of its name beside its limits.
  virtual std::string RatesFile(const ir::Device& device) const;
  /// What devices are alike in what they like: what runs learned on one holds on another of its
  /// class (search/learn/prior.h). By default each name is one.
  virtual std::string ClassOf(const ir::Device& device) const;
  /// Measures the rates of a device that is in this machine, writes that file, and says so on
  /// stderr. False: they are not measured here, or not now. Throws UsageError.
  virtual bool MeasureRates(const ir::Device& /*device*/) const { return false; }
  /// What a device that is in this machine does at most, measured now, as lines for people. Nothing
  /// is kept. Throws UsageError where that cannot be measured, or not in this way.
  virtual std::string SpeedText(const ir::Device& device) const;

  // ---- From an implementation to a time
  // -----------------------------------------------------------

  /// The source of an implementation; comments name its loops and axes. `code.error` is empty.
  virtual Source Print(const codegen::LoweredCode& code, const ir::Device& device) const = 0;
  /// What compiles, checks, runs and times implementations of a workload. The token outlives it.
  /// Throws Error when what it needs is not there, in a line that says what to install and which
  /// device runs here. Without one of its own nothing runs on the device: UsageError.
  virtual std::unique_ptr<Evaluator> MakeEvaluator(std::unique_ptr<const Workload> workload,
                                                   const EvaluatorOptions& options) const;
  /// What compiles and measures kernels that users wrote for such a device; null: nothing does.
  /// The token outlives it. Throws Error when what it needs is not there, in a line that says what
  /// to install, and UsageError for what is wrong with the kernel.
  virtual std::unique_ptr<OwnKernelBench> MakeOwnBench(const OwnKernelTask& /*task*/,
                                                       const EvaluatorOptions& /*options*/) const {
    return nullptr;
  }
  /// A candidate that takes this many times as long as the best is slow, and stopped early.
  virtual double slow_factor() const { return 4; }
  /// As Evaluator::most_text_bytes() of its evaluators.
  virtual std::uint64_t most_text_bytes() const { return 0; }
  /// Seconds of a budget that yardsticks and finals take at most.
  virtual double finals_seconds() const { return 8; }
  /// The processes that its evaluators start.
  virtual std::vector<ProcessMain> processes() const { return {}; }

  // ---- To take away
  // -------------------------------------------------------------------------------

  /// What a program that Export() makes is in, as `search export --format` has it: "cu". Empty: it
  /// makes none.
  virtual std::string_view export_format() const { return {}; }
  /// A program of one file around an implementation, which Print() printed; `about` is its first
  /// comment. There is an export_format().
  virtual std::string Export(const Task& task, const Source& source,
                             const std::string& about) const;
  /// The header of that program, for C and C++.
  virtual std::string ExportHeader(const Task& task, const Source& source,
                                   const std::string& about) const;

  /// What a tuned library for such devices is made of (search/install); null: there is none.
  virtual const package::LibraryKind* library_kind() const { return nullptr; }
  /// An implementation as a part of one. `conditions`: of its run, RunRecord::conditions. `name`:
  /// what the kernel is called there; empty: as it is called. There is a library_kind().
  virtual package::Unit Package(const Task& task, const Source& source,
                                const std::string& conditions, const std::string& name) const;
};

/// All of them; they live as long as the program.
std::span<const Backend* const> AllBackends();

/// Of the first backend that has one. Throws as that does, and UsageError where this program has no
/// such backend.
std::unique_ptr<OwnKernelBench> MakeOwnBench(const OwnKernelTask& task,
                                             const EvaluatorOptions& options);

/// The one with this `language`; null when there is none.
const Backend* FindBackend(std::string_view language);

/// The one of a device that LoadDevice() loaded.
const Backend& BackendOf(const ir::Device& device);

/// Source of an implementation, as the backend of its device prints it (Backend::Print).
/// `candidate.IsImplementation()`. Throws Refused where it has no code.
Source EmitSource(const Task& task, const runtime::Candidate& candidate);

/// Throws UsageError when the device has nothing that runs: the line says what does.
void RequireRuns(const ir::Device& device);

/// Throws UsageError when the device is no GPU and `what` (such as "--gpu 1") is for GPUs alone.
void RequireGpu(const ir::Device& device, const std::string& what,
                const std::string& advice = "leave it out");

}  // namespace exh::kernels

/// Adds the backends of this program. all_backends.cc has all of them, processor_alone.cc the one
/// that searches a processor's kernels: a program links one of both. Its name is plain, so that a
/// linker can be told to look for it.
extern "C" void exh_list_of_backends(std::vector<const exh::kernels::Backend*>& backends);
