// SPDX-License-Identifier: MIT
#include "search/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "search/error.h"
#include "search/finals.h"
#include "search/numbers.h"
#include "search/references.h"
#include "search/report.h"

namespace exh::search {
namespace {

constexpr int kRounds = 3;

/// Bytes of all arrays, those between elements that lie apart included.
double ArrayBytes(const Problem& problem) {
  double bytes = 0;
  for (const auto& array : problem.task.function->arrays) {
    bytes += 4 * static_cast<double>(array.elements);
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
  constexpr double kLeastH200 = 4000;
  if (problem.device.name == "h200" && copy < kLeastH200) {
    text += fmt::format(
        "  the yardstick is wrong: an H200 copies at {:.0f} GB/s or more; is something else "
        "running on it?\n",
        kLeastH200);
  }
  return text;
}

}  // namespace

Comparison Compare(Evaluator& evaluator, const std::vector<Contender>& contenders, int jobs,
                   const std::function<bool()>& stopped, kernels::StopToken* stop) {
  constexpr double kForCompilers = 0.6;  // Of what is left.
  std::vector<Contender> all = contenders;
  {
    TimeShare share(stop);
    share.Take(kForCompilers);
    for (Contender& yardstick : evaluator.Yardsticks(jobs)) all.push_back(std::move(yardstick));
  }
  Comparison comparison;
  comparison.records = evaluator.finalists() > 1
                           ? Finals(evaluator, all, {}, stopped, stop)
                           : MeasureInTurn(evaluator, all, kRounds, stopped, stop);
  if (comparison.records.empty()) return comparison;
  const std::vector<ReferenceRecord> own(
      comparison.records.begin(),
      comparison.records.begin() + static_cast<std::ptrdiff_t>(contenders.size()));
  comparison.winner = own.size() == 1 ? 0 : FastestOf(own);
  if (comparison.winner >= 0) {
    comparison.records[static_cast<std::size_t>(comparison.winner)].name = "winner";
  }
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

std::string ComparisonText(const Problem& problem, const Comparison& comparison) {
  std::string text = ComparisonText(comparison.records);
  if (!comparison.trouble.empty()) {
    text += fmt::format("  the device's rates could not be measured: {}\n", comparison.trouble);
  }
  if (comparison.winner < 0 || !comparison.rates) return text;
  const ReferenceRecord& winner = comparison.records[static_cast<std::size_t>(comparison.winner)];
  const double ns = winner.median_ns > 0 ? winner.median_ns : winner.best_ns;
  return ns > 0 ? text + RatesText(problem, ns, *comparison.rates) : text;
}

}  // namespace exh::search
