// SPDX-License-Identifier: MIT
#include "search/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/numbers.h"
#include "search/measure/finals.h"
#include "search/measure/race/run_race.h"
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

/// The first of the contenders in this ranking that passes an audit, or -1. One that does not has
/// the verdict of it from then on; one for which there is no time left is believed.
int AuditedWinner(Evaluator& evaluator, const std::vector<Contender>& contenders,
                  const std::vector<std::size_t>& ranking, std::vector<ReferenceRecord>& records,
                  const std::function<bool()>& stopped) {
  for (const std::size_t index : ranking) {
    ReferenceRecord& record = records[index];
    if (record.verdict != kernels::Verdict::kCorrect) continue;
    const int winner = static_cast<int>(index);
    if (stopped()) return winner;
    const kernels::Measurement audit =
        evaluator.Measure(contenders[index].compiled, {}, Effort::kAudit);
    using kernels::Verdict;
    // What the environment did is no verdict on the winner.
    const bool passed = audit.verdict == Verdict::kCorrect || audit.verdict == Verdict::kStopped ||
                        audit.verdict == Verdict::kBroken;
    if (passed) return winner;
    record.verdict = audit.verdict;
    record.why = audit.why;
  }
  return -1;
}

/// The race of several contenders. Of one, or where none was run, the first is the winner of it.
RaceOutcome RaceOf(Evaluator& evaluator, const std::vector<Contender>& contenders,
                   const std::function<bool()>& stopped, StopToken* stop) {
  RaceOutcome race;
  if (contenders.size() > 1) {
    const bool is_beside = evaluator.compiles_while_measuring();
    race = RunRace(evaluator, contenders, is_beside ? RaceOptions() : kShortRace, stopped, stop);
  }
  if (race.records.empty()) {
    race.records = RecordsOf(contenders);
    std::for_each(race.records.begin() + 1, race.records.end(), NoTimeFor);
  }
  if (race.ranking.empty()) race.ranking.push_back(0);
  return race;
}

}  // namespace

Comparison Compare(Evaluator& evaluator, const std::vector<Contender>& contenders, int jobs,
                   const std::function<bool()>& stopped, StopToken* stop, Yardsticks yardsticks) {
  RaceOutcome race = RaceOf(evaluator, contenders, stopped, stop);
  const std::size_t first = race.ranking.front();
  constexpr double kForCompilers = 0.75;  // Of what is left.
  std::vector<Contender> all = {contenders[first]};
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
  const bool is_beside = evaluator.compiles_while_measuring();
  std::vector<ReferenceRecord> finals =
      Finals(evaluator, all, is_beside ? FinalsOptions() : kShortFinals, stopped, stop);
  if (finals.empty()) return comparison;
  comparison.records = std::move(race.records);
  // For which there was no time in the finals, what it took in the race still stands.
  const bool has_raced = comparison.records[first].median_ns > 0;
  if (finals.front().verdict != kernels::Verdict::kStopped || !has_raced) {
    comparison.records[first] = finals.front();
  }
  comparison.records.insert(comparison.records.end(), finals.begin() + 1, finals.end());
  comparison.winner =
      AuditedWinner(evaluator, contenders, race.ranking, comparison.records, stopped);
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
  for (std::size_t index = 0; index < count; ++index) {
    const ReferenceRecord& record = comparison.records[index];
    using kernels::Verdict;
    if (record.verdict == Verdict::kCorrect || record.verdict == Verdict::kStopped) continue;
    return fmt::format("{}: {}", kernels::VerdictName(record.verdict), record.why);
  }
  return "";
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
