// SPDX-License-Identifier: MIT
#include "kernels/evaluation.h"

#include <algorithm>

#include "base/numbers.h"

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
    case Verdict::kUnchecked:
      return "unchecked";
    case Verdict::kIdle:
      return "idle";
    case Verdict::kRefused:
      return "refused";
    case Verdict::kInternal:
      return "internal";
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

std::vector<SideLaunch> InOrder(const Launch& launch) {
  std::vector<SideLaunch> all = launch.sides;
  const auto behind =
      std::ranges::find_if(all, [](const SideLaunch& side) { return !side.is_before; });
  all.insert(behind,
             {std::string(kMainKernel), false, launch.grid, launch.threads, launch.shared_bytes});
  return all;
}

std::string WithoutComments(const std::string& source) {
  std::string code;
  for (std::string_view rest = source; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const std::string_view trimmed = Trim(line);
    if (trimmed.empty() || trimmed.starts_with("//")) continue;
    code.append(line).push_back('\n');
  }
  return code;
}

std::optional<Compiled> NotCompiled(const Source& source) {
  if (source.verdict == Verdict::kCorrect) return std::nullopt;
  Compiled refused;
  refused.verdict = source.verdict;
  refused.why = source.why;
  refused.source = source.text;
  return refused;
}

}  // namespace exh::kernels
