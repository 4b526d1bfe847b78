// SPDX-License-Identifier: MIT
//
// Compiler and GPU together, for whoever has texts and arrays: evaluators of kernels and of fused
// operators.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/system/scratch_folder.h"
#include "kernels/counters/counters.h"
#include "kernels/devices/cuda/driver/nvrtc.h"
#include "kernels/devices/cuda/pools/compile_pool.h"
#include "kernels/devices/cuda/pools/gpu_pool.h"
#include "kernels/devices/evaluator.h"
#include "kernels/ir/device.h"

namespace exh::kernels::cuda {

/// NVRTC in processes of this program (`search compile-cuda`), and a disposable process that runs
/// what was compiled (`search run-cuda`).
class GpuBench {
 public:
  /// Writes problem files (cpu::WriteProblemFile) into a folder: their paths, by ProblemNumber.
  using WriteProblems = std::function<std::vector<std::string>(const std::string& folder)>;

  /// One that works on EvaluatorOptions::gpu and on each of `more_gpus`. `spares`: processes that
  /// stand ready beside the one that works on a GPU. Throws Error when the driver,
  /// a GPU or NVRTC is missing, or when `write` does.
  GpuBench(const ir::Device& device, const EvaluatorOptions& options, const WriteProblems& write,
           int spares = 1);

  /// Compiles the text of a source (Source::text or Source::careful). From several threads at once.
  Compiled Compile(const Source& source, const std::string& text, Optimization optimization);
  /// How many GPUs there are. The first is number 0 here, whatever the driver calls it.
  std::size_t num_gpus() const { return runners_.size(); }
  /// What Repeat() and Rates() ask from here on.
  void UseGpu(std::size_t gpu) { used_ = gpu; }
  std::size_t used_gpu() const { return used_; }

  /// Evaluator::Try(), Measure(), Repeat(), Rates() and Discard(). Those that name a GPU may be
  /// called by one thread for each at the same time.
  Measurement Try(const Compiled& trial, const Cap& cap, std::size_t gpu);
  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort, std::size_t gpu);
  Measurement Repeat(const Compiled& compiled, int launches);
  MeasuredRates Rates();
  /// Evaluator::Counters(): below Nsight Compute, in a process of its own.
  CounterReading Counters(const Compiled& compiled);
  void Discard(const Compiled& compiled) const;

  /// From here on candidates run on the arrays of these files. Empty, or why they cannot.
  std::string SetProblems(const std::vector<std::string>& files);

  /// What its compiler compiles wrongly; see KnownAnswers::Notes().
  std::vector<std::string> Notes() const { return compilers_.known().Notes(); }
  /// "NVIDIA H100 80GB HBM3, driver 13.0".
  std::string Conditions() const;
  /// Evaluator::Versions().
  std::map<std::string, std::string, std::less<>> Versions() const;

 private:
  ScratchFolder scratch_;
  const ir::Device device_;
  const StopToken* const stop_;
  RunSetup setup_;         ///< Of the first GPU.
  std::vector<int> gpus_;  ///< As the driver calls them.
  CompilePool compilers_;
  std::deque<GpuPool> runners_;  ///< One for each GPU.
  std::size_t used_ = 0;
};

}  // namespace exh::kernels::cuda
