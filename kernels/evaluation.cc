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

}  // namespace exh::kernels
