// SPDX-License-Identifier: MIT
#include "search/report/dropped_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "search/log/log_text.h"

namespace exh::search {
namespace {

using kernels::Verdict;

constexpr std::size_t kMostReasons = 5;

std::vector<Failure> Those(const std::vector<Failure>& failures, Verdict verdict) {
  std::vector<Failure> those;
  std::ranges::copy_if(failures, std::back_inserter(those),
                       [&](const Failure& failure) { return failure.verdict == verdict; });
  return those;
}

/// "  12 times, first record 3: why", a line for each.
std::string ReasonLines(const std::vector<Failure>& failures) {
  std::string text;
  for (std::size_t i = 0; i < std::min(failures.size(), kMostReasons); ++i) {
    const Failure& failure = failures[i];
    text += failure.count == 1 ? fmt::format("  record {}: {}\n", failure.n, failure.why)
                               : fmt::format("  record {} and {} like it: {}\n", failure.n,
                                             failure.count - 1, failure.why);
  }
  if (failures.size() > kMostReasons) {
    text += fmt::format("  and {} more reasons\n", failures.size() - kMostReasons);
  }
  return text;
}

std::uint64_t CountOf(const std::vector<Failure>& failures) {
  std::uint64_t count = 0;
  for (const Failure& failure : failures) count += failure.count;
  return count;
}

}  // namespace

bool HaveChecksFailed(const std::vector<Failure>& failures,
                      const std::vector<FailedCheckRecord>& checks) {
  return !checks.empty() || !Those(failures, Verdict::kInternal).empty();
}

std::string DroppedText(const std::vector<Failure>& failures,
                        const std::vector<FailedCheckRecord>& checks, const std::string& program,
                        const RunRecord& header, const std::string& run, bool writes_code) {
  std::string text;
  const std::vector<Failure> refused = Those(failures, Verdict::kRefused);
  if (const std::uint64_t count = CountOf(refused); count > 0) {
    text += writes_code
                ? fmt::format("refused: {} {} no code, though the space allows {}\n{}", count,
                              count == 1 ? "implementation has" : "implementations have",
                              count == 1 ? "it" : "them", ReasonLines(refused))
                : fmt::format("refused: {} of what the space allows, by the filter\n", count);
  }
  if (!HaveChecksFailed(failures, checks)) return text;
  const std::vector<Failure> internal = Those(failures, Verdict::kInternal);
  text += "internal: checks of this program failed, and it went on without the candidates:\n";
  text += ReasonLines(internal);
  for (const FailedCheckRecord& check : checks) {
    const auto is_it = [&](const Failure& failure) { return failure.why == check.why; };
    if (std::ranges::any_of(internal, is_it)) continue;
    text += fmt::format("  {:.1f} s after the start: {}\n", check.dt, check.why);
  }
  text += fmt::format("  please report this bug with {}/log.jsonl ({} on {}, seed {}, {})\n", run,
                      NameText(header), header.device, header.seed, header.tool);
  if (internal.empty()) return text;
  return text + fmt::format("  its decisions: {} emit {} --record {} --decisions\n", program, run,
                            internal.front().n);
}

}  // namespace exh::search
