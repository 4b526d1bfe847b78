// SPDX-License-Identifier: MIT
#include "kernels/cuda/gpu_pool.h"

#include <fmt/format.h>

#include <utility>

namespace exh::kernels::cuda {
namespace {

constexpr double kStartS = 120;  ///< Contexts, and gigabytes of inputs.
constexpr double kAnswerS = 60;  ///< Beyond what the candidate may take; batches included.

}  // namespace

GpuPool::GpuPool(std::vector<std::string> command, const RunSetup& setup, int spares)
    : command_(std::move(command)),
      setup_(ToJsonLine(setup)),
      spares_(static_cast<std::size_t>(spares)) {}

void GpuPool::Spawn() {
  processes_.push_back({Worker(command_)});
  processes_.back().worker.Send(setup_);
}

/// Empty once the process has said that it is ready.
std::string GpuPool::Await(Process& process) {
  if (process.is_ready) return "";
  std::string line;
  switch (process.worker.Receive(kStartS, line)) {
    case Worker::Reply::kLine:
      break;
    case Worker::Reply::kTimedOut:
      process.worker.Kill();
      return fmt::format("the process for the GPU did not start in {} s", kStartS);
    case Worker::Reply::kDied:
      return fmt::format("the process for the GPU died: {}", process.worker.obituary());
  }
  const auto ready = ParseRunReady(line);
  if (!ready) return "the process for the GPU did not say that it is ready";
  if (!ready->why.empty()) return ready->why;
  ready_ = *ready;
  process.is_ready = true;
  return "";
}

std::string GpuPool::Start() {
  if (processes_.empty()) Spawn();
  std::string why = Await(processes_.front());
  if (!why.empty()) {
    processes_.erase(processes_.begin());
    return why;
  }
  while (processes_.size() < 1 + spares_) Spawn();
  return "";
}

void GpuPool::Replace() {
  processes_.front().worker.Kill();  // Returns when the GPU is free of it.
  processes_.erase(processes_.begin());
  ++replaced_;
}

RunAnswer GpuPool::Ask(const RunRequest& request) {
  RunAnswer failed;
  Measurement& failure = failed.measurement;
  failure.verdict = Verdict::kBroken;
  failure.why = Start();
  if (!failure.why.empty()) return failed;
  Worker& worker = processes_.front().worker;
  worker.Send(ToJsonLine(request));
  std::string line;
  const double limit = kAnswerS + (request.cap_ns + request.patience_ns) / 1e9;
  switch (worker.Receive(limit, line)) {
    case Worker::Reply::kLine:
      break;
    case Worker::Reply::kTimedOut:
      failure.verdict = Verdict::kTimeout;
      failure.why = fmt::format("no answer in {:.0f} s", limit);
      Replace();
      return failed;
    case Worker::Reply::kDied:
      failure.verdict = Verdict::kCrash;
      failure.why = fmt::format("the process that ran it died: {}", worker.obituary());
      Replace();
      return failed;
  }
  const auto answer = ParseRunAnswer(line);
  if (!answer) {
    failure.verdict = Verdict::kCrash;
    failure.why = "the process that ran it gave no answer that can be read";
    Replace();
    return failed;
  }
  if (answer->ends) Replace();
  return *answer;
}

}  // namespace exh::kernels::cuda
