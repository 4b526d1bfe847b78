// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/pools/gpu_pool.h"

#include <fmt/format.h>

#include <utility>

namespace exh::kernels::cuda {
namespace {

Measurement Stopped() {
  Measurement stopped;
  stopped.verdict = Verdict::kStopped;
  return stopped;
}

}  // namespace

GpuPool::GpuPool(std::vector<std::string> command, const RunSetup& setup, int spares,
                 const GpuPoolLimits& limits)
    : command_(std::move(command)),
      setup_(setup),
      spares_(static_cast<std::size_t>(spares)),
      limits_(limits) {}

void GpuPool::Spawn() {
  processes_.push_back({Worker(command_)});
  processes_.back().worker.Send(ToJsonLine(setup_));
}

/// Empty when the process waits for a candidate.
std::string GpuPool::Await(Process& process) {
  Worker& worker = process.worker;
  if (!process.is_ready) {
    std::string line;
    const Worker::Reply reply = worker.Receive(limits_.start_s, line, limits_.stop);
    if (reply == Worker::Reply::kStopped) return "stopped before the process for the GPU was ready";
    if (reply == Worker::Reply::kTimedOut) {
      return fmt::format("the process for the GPU did not start in {} s", limits_.start_s);
    }
    if (reply == Worker::Reply::kLine) {
      const auto ready = ParseRunReady(line);
      if (!ready) return "the process for the GPU did not say that it is ready";
      if (!ready->why.empty()) return ready->why;
      ready_ = *ready;
      process.is_ready = true;
    }
  }
  worker.Drain();  // It may have died since it was ready.
  if (worker.alive()) return "";
  return fmt::format("the process for the GPU died: {}", worker.obituary());
}

std::string GpuPool::Start() {
  while (true) {
    // One that stood ready may have died meanwhile: only one that is started now tells whether any
    // can be.
    const bool is_new = processes_.empty();
    if (is_new) Spawn();
    const std::string why = Await(processes_.front());
    if (why.empty()) break;
    if (is_new) {
      processes_.clear();
      return why;
    }
    Replace();
  }
  while (processes_.size() < 1 + spares_) Spawn();
  return "";
}

/// A process that works takes them as a request. If it does not answer well, another one that is
/// started with them says what is wrong.
std::string GpuPool::SetProblems(const std::vector<std::string>& files) {
  setup_.problems = files;
  if (processes_.empty()) return Start();
  while (processes_.size() > 1) processes_.pop_back();  // Spares have the old ones.
  RunRequest request;
  request.problems = files;
  request.patience_ns = 1e9 * limits_.start_s;
  if (Ask(request).measurement.verdict == Verdict::kCorrect) return "";
  if (IsStopped(limits_.stop)) return "stopped";
  if (!processes_.empty()) Replace();
  return Start();
}

void GpuPool::End(double patience_s) {
  for (Process& process : processes_) process.worker.End(patience_s);
  processes_.clear();
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
  if (!failure.why.empty()) {
    if (IsStopped(limits_.stop)) failure = Stopped();
    return failed;
  }
  Worker& worker = processes_.front().worker;
  worker.Send(ToJsonLine(request));
  std::string line;
  const double limit =
      limits_.answer_s + (request.cap_ns + request.patience_ns + request.audit_ns) / 1e9;
  switch (worker.Receive(limit, line, limits_.stop)) {
    case Worker::Reply::kLine:
      break;
    case Worker::Reply::kTimedOut:
      failure.verdict = Verdict::kTimeout;
      failure.why = fmt::format("no answer in {:.0f} s", limit);
      Replace();
      return failed;
    case Worker::Reply::kStopped:
      failure = Stopped();
      Replace();
      return failed;
    case Worker::Reply::kDied:
      failure.verdict = worker.was_killed() ? Verdict::kBroken : Verdict::kCrash;
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
