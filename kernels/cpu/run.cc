// SPDX-License-Identifier: MIT
#include "kernels/cpu/run.h"

#include <fmt/format.h>

#include "kernels/cpu/process.h"

namespace exh::kernels::cpu {
namespace {

/// Unrolled code with arrays by thread needs deep stacks, on OpenMP's threads too.
constexpr std::uint64_t kStackBytes = 256ULL << 20;
constexpr const char* kWorkerStack = "OMP_STACKSIZE=64M";

std::string LastLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

}  // namespace

Measurement RunCandidate(const RunRequest& request, const std::vector<std::string>& command,
                         const StopToken* stop) {
  ProcessRequest process;
  process.argv = command;
  process.input = ToJsonLine(request);
  process.timeout_s = request.timeout_s;
  process.environment = {kWorkerStack};
  process.stack_bytes = kStackBytes;
  process.stop = stop;
  const ProcessResult run = RunProcess(process);

  Measurement failure;
  switch (run.status) {
    case ProcessResult::Status::kNotStarted:
      failure.verdict = Verdict::kBroken;
      failure.why = run.error;
      return failure;
    case ProcessResult::Status::kTimedOut:
      failure.verdict = Verdict::kTimeout;
      failure.why = fmt::format("ran longer than {} s", request.timeout_s);
      return failure;
    case ProcessResult::Status::kStopped:
      failure.verdict = Verdict::kStopped;
      return failure;
    case ProcessResult::Status::kSignalled:
      failure.verdict = Verdict::kCrash;
      failure.why = SignalText(run.code);
      return failure;
    case ProcessResult::Status::kExited:
      break;
  }
  const auto measurement = run.code == 0 ? ParseMeasurement(run.out) : std::nullopt;
  if (measurement) return *measurement;
  failure.verdict = Verdict::kCrash;
  failure.why = fmt::format("its process ended with code {} and no answer", run.code);
  const std::string last = LastLine(run.err);
  if (!last.empty()) failure.why += ": " + last;
  return failure;
}

}  // namespace exh::kernels::cpu
