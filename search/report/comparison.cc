// SPDX-License-Identifier: MIT
#include "search/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/numbers.h"
#include "search/measure/finals.h"
#include "search/measure/references.h"
#include "search/report/report.h"
#include "search/subject/candidate_bound.h"

namespace exh::search {
namespace {

/// Bytes of all arrays, those between elements that lie apart included.
double ArrayBytes(const Problem& problem) {
  double bytes = 0;
  for (const auto& array : problem.task.function->arrays) {
    bytes += static_cast<double>(array.bytes());
  }
  return bytes;
}

std::string RatesText(const Problem& problem, double ns, const RatesRecord& rates) {
  const double copy = std::max(rates.driver_copy_gbs, rates.kernel_copy_gbs);
  const double bytes = ArrayBytes(problem) / ns;
  const double flops = problem.task.flops / ns;
  std::string text = fmt::format(
      "  {:.3f} of the device's copy bandwidth: {:.0f} GB/s, counting each array once, of {:.0f} "
      "(driver {:.0f}, float4 kernel {:.0f})\n"
      "  {:.3f} of its multiply-add rate: {:.2f} TFLOP/s of {:.2f}\n",
      bytes / copy, bytes, copy, rates.driver_copy_gbs, rates.kernel_copy_gbs,
      flops / rates.fma_gflops, flops / 1e3, rates.fma_gflops / 1e3);
  // Turning from reads to writes costs memory time, but no fifth of it.
  constexpr double kLeastPart = 0.8;
  const auto known = KnownRates(problem.device);
  if (known && copy < kLeastPart * known->memory_gbs) {
    text += fmt::format(
        "  the yardstick is wrong: a copy on {} is known to reach {:.0f} GB/s or more; is "
        "something "
        "else running on it?\n",
        problem.device.name, kLeastPart * known->memory_gbs);
  }
  return text;
}

bool IsLibrary(const std::string& name) {
  return name != "winner" && name != "naive" && !name.starts_with("record ");
}

/// The fastest of the first `count` records that passes an audit, or -1. One that does not has the
/// verdict of it from then on; one for which there is no time left is believed.
int AuditedWinner(Evaluator& evaluator, const std::vector<Contender>& contenders,
                  std::vector<ReferenceRecord>& records, const std::function<bool()>& stopped) {
  const auto count = static_cast<std::ptrdiff_t>(contenders.size());
  while (true) {
    const std::vector<ReferenceRecord> own(records.begin(), records.begin() + count);
    const int winner = FastestOf(own);
    if (winner < 0 || stopped()) return winner;
    const auto index = static_cast<std::size_t>(winner);
    const kernels::Measurement audit =
        evaluator.Measure(contenders[index].compiled, {}, Effort::kAudit);
    using kernels::Verdict;
    // What the environment did is no verdict on the winner.
    const bool passed = audit.verdict == Verdict::kCorrect || audit.verdict == Verdict::kStopped ||
                        audit.verdict == Verdict::kBroken;
    if (passed) return winner;
    records[index].verdict = audit.verdict;
    records[index].why = audit.why;
  }
}

}  // namespace

Comparison Compare(Evaluator& evaluator, const std::vector<Contender>& contenders, int jobs,
                   const std::function<bool()>& stopped, StopToken* stop, Yardsticks yardsticks) {
  constexpr double kForCompilers = 0.75;  // Of what is left.
  std::vector<Contender> all = contenders;
  if (yardsticks != Yardsticks::kNone) {
    TimeShare share(stop);
    share.Take(kForCompilers);
    std::vector<Contender> known = evaluator.Yardsticks(jobs);
    const bool has_library =
        std::ranges::any_of(known, [](const Contender& one) { return IsLibrary(one.name); });
    for (Contender& yardstick : known) {
      const bool is_left_out = yardsticks == Yardsticks::kLibraries && has_library;
      if (!is_left_out || IsLibrary(yardstick.name)) all.push_back(std::move(yardstick));
    }
  }
  Comparison comparison;
  comparison.has_yardsticks = yardsticks != Yardsticks::kNone;
  const bool has_finalists = evaluator.finalists() > 1;
  comparison.records =
      Finals(evaluator, all, has_finalists ? FinalsOptions() : kShortFinals, stopped, stop);
  if (comparison.records.empty()) return comparison;
  comparison.winner = AuditedWinner(evaluator, contenders, comparison.records, stopped);
  const bool is_alone = contenders.size() == 1;  // Then it is also called so when it fails.
  if (comparison.winner >= 0 || is_alone) {
    const auto index = static_cast<std::size_t>(std::max(comparison.winner, 0));
    comparison.records[index].name = "winner";
  }
  if (!comparison.has_yardsticks) return comparison;
  try {
    if (const auto rates = evaluator.Rates()) {
      comparison.rates = RatesRecord{rates->driver_copy_gbs, rates->kernel_copy_gbs,
                                     rates->fma_gflops, rates->clock_mhz};
    }
  } catch (const Error& error) {
    comparison.trouble = error.what();
  }
  return comparison;
}

std::string FailureOf(const Comparison& comparison, std::size_t count) {
  if (comparison.winner >= 0 || comparison.records.size() < count) return "";
  std::string why;
  for (std::size_t index = 0; index < count; ++index) {
    const ReferenceRecord& record = comparison.records[index];
    if (record.verdict == kernels::Verdict::kStopped) return "";
    if (why.empty()) why = fmt::format("{}: {}", kernels::VerdictName(record.verdict), record.why);
  }
  return why;
}

std::string ComparisonText(const Problem& problem, const Comparison& comparison) {
  std::string text = ComparisonText(comparison.records);
  const bool has_some = comparison.has_yardsticks && !comparison.records.empty();
  if (has_some && std::ranges::none_of(comparison.records, IsLibrary, &ReferenceRecord::name)) {
    text += "  no library is known to compute it\n";
  }
  if (!comparison.trouble.empty()) {
    text += fmt::format("  the device's rates could not be measured: {}\n", comparison.trouble);
  }
  if (comparison.winner < 0 || !comparison.rates) return text;
  const ReferenceRecord& winner = comparison.records[static_cast<std::size_t>(comparison.winner)];
  const double ns = winner.median_ns > 0 ? winner.median_ns : winner.best_ns;
  return ns > 0 ? text + RatesText(problem, ns, *comparison.rates) : text;
}

}  // namespace exh::search
