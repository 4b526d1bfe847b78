// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/devices/cuda/process/run_protocol.h"
#include "kernels/devices/cuda/process/worker.h"

namespace exh::kernels::cuda {

/// How long a pool waits for its processes.
struct GpuPoolLimits {
  double start_s = 120;  ///< For one to be ready: contexts, and gigabytes of inputs.
  double answer_s = 60;  ///< For an answer, beyond what the candidate may take; batches included.
  const StopToken* stop = nullptr;  ///< When it is stopped, so is what runs: kStopped.
};

/// Runs candidates one after the other on one GPU, in processes that are replaced when a candidate
/// breaks them. A spare process is always ready, with its inputs on the GPU already, so a candidate
/// that does not end costs no more than killing its process.
class GpuPool {
 public:
  /// `command` starts a program whose main calls CandidateProcessMain. `spares`: processes that
  /// stand ready beside the one that works.
  GpuPool(std::vector<std::string> command, const RunSetup& setup, int spares = 1,
          const GpuPoolLimits& limits = {});

  /// Empty when a process is ready to run candidates, otherwise why none is. Waits for it.
  std::string Start();
  /// From here on candidates run on the arrays of these files. Empty, or why they cannot.
  std::string SetProblems(const std::vector<std::string>& files);
  /// What the GPU said of itself; after Start().
  const RunReady& ready() const { return ready_; }

  /// Crashes, hangs and wrong results are verdicts. kBroken: no process can be started any more.
  Measurement Run(const RunRequest& request) { return Ask(request).measurement; }
  /// The same, with all that was answered.
  RunAnswer Ask(const RunRequest& request);
  /// Lets its processes end by themselves, for so long; then they are killed. What follows starts
  /// new ones.
  void End(double patience_s);
  /// Processes that were replaced so far.
  std::uint64_t replaced() const { return replaced_; }

 private:
  struct Process {
    Worker worker;
    bool is_ready = false;
  };
  void Spawn();
  std::string Await(Process& process);
  void Replace();

  std::vector<std::string> command_;
  RunSetup setup_;
  std::size_t spares_;
  GpuPoolLimits limits_;
  std::vector<Process> processes_;  ///< The first one works.
  RunReady ready_;
  std::uint64_t replaced_ = 0;
};

}  // namespace exh::kernels::cuda
