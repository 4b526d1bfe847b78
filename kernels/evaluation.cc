// SPDX-License-Identifier: MIT
#include "kernels/evaluation.h"

namespace exh::kernels {

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kCorrect:
      return "correct";
    case Verdict::kWrong:
      return "wrong";
    case Verdict::kCompileError:
      return "compile_error";
    case Verdict::kCompileTimeout:
      return "compile_timeout";
    case Verdict::kSpills:
      return "spills";
    case Verdict::kCrash:
      return "crash";
    case Verdict::kTimeout:
      return "timeout";
    case Verdict::kSlow:
      return "slow";
    case Verdict::kImpossible:
      return "impossible";
    case Verdict::kIdle:
      return "idle";
    case Verdict::kBroken:
      return "broken";
    case Verdict::kStopped:
      return "stopped";
  }
  return "?";
}

std::optional<Verdict> VerdictOf(std::string_view name) {
  for (int number = 0; number <= static_cast<int>(Verdict::kStopped); ++number) {
    const auto verdict = static_cast<Verdict>(number);
    if (VerdictName(verdict) == name) return verdict;
  }
  return std::nullopt;
}

}  // namespace exh::kernels
