// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/commands/fused/rows_log.h"
#include "search/commands/fused/scheduling_totals.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using kernels::fused::Row;

double NsOf(const LoggedOperator& logged, const std::string& name) {
  const Row* const row = logged.rows.Find(name);
  return row == nullptr || row->verdict != Verdict::kCorrect ? 0 : row->ns;
}

/// Of the operators that both rows have a time of.
struct Ratio {
  int count = 0;
  double log_sum = 0, worst = 0;
  std::string worst_at;

  void Add(double baseline, double other, const std::string& at) {
    if (baseline <= 0 || other <= 0) return;
    ++count;
    log_sum += std::log(baseline / other);
    if (worst == 0 || baseline / other < worst) {
      worst = baseline / other;
      worst_at = at;
    }
  }
  double mean() const { return count == 0 ? 0 : std::exp(log_sum / count); }
};

struct Totals {
  int operators = 0, ran = 0, influenced = 0, vectors = 0;
  double baseline = 0, no_vectors = 0, with_vectors = 0, searched = 0, floor = 0;
  Ratio ratio, transposes;                    ///< Over "influenced".
  Ratio searched_ratio, searched_transposes;  ///< Over "searched".
  std::vector<double> shares_of_floor;        ///< Of "searched", of what moves more than 64 MB.

  void Add(const LoggedOperator& logged, const std::string& baseline_name) {
    ++operators;
    influenced += logged.rows.is_influenced ? 1 : 0;
    vectors += logged.rows.has_vectors ? 1 : 0;
    const double before = NsOf(logged, baseline_name), plain = NsOf(logged, "no vectors"),
                 after = NsOf(logged, "influenced"), found = NsOf(logged, "searched");
    if (before <= 0 || plain <= 0 || after <= 0 || found <= 0) return;
    ++ran;
    baseline += before;
    no_vectors += plain;
    with_vectors += after;
    searched += found;
    floor += logged.rows.floor_ns;
    ratio.Add(before, after, logged.place);
    searched_ratio.Add(before, found, logged.place);
    if (logged.rows.transposes) {
      transposes.Add(before, after, logged.place);
      searched_transposes.Add(before, found, logged.place);
    }
    constexpr std::uint64_t kLargeBytes = 64'000'000;
    if (logged.rows.bytes > kLargeBytes) shares_of_floor.push_back(logged.rows.floor_ns / found);
  }

  std::string Line(const std::string& name) const {
    constexpr double kMs = 1e-6;
    return fmt::format(
        "{:<24} {:>5} {:>5} {:>5} {:>5} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>6.2f}\n",
        name, operators, ran, influenced, vectors, baseline * kMs, no_vectors * kMs,
        with_vectors * kMs, searched * kMs, floor * kMs, ratio.mean());
  }
};

}  // namespace

void RowsSummary::Add(const LoggedOperator& logged) {
  operators_[logged.line] = logged;
}

std::string RowsSummary::Text(const std::string& baseline) const {
  std::map<std::string, Totals> networks;
  Totals all;
  SchedulingTotals scheduling;
  std::map<std::string, int> refused, failed;
  for (const auto& [line, logged] : operators_) {
    networks[logged.network].Add(logged, baseline);
    all.Add(logged, baseline);
    if (!logged.rows.refused.empty()) ++refused[logged.rows.refused];
    if (logged.rows.cost.systems > 0) {
      scheduling.Add(logged.rows.cost, logged.rows.is_influenced);
    }
    for (const Row& row : logged.rows.rows) {
      if (row.verdict == Verdict::kCorrect || row.name == "searched") continue;
      const bool is_text = row.verdict == Verdict::kBroken && !row.why.empty();
      ++failed[fmt::format("{}: {}", row.name,
                           is_text ? row.why : std::string(kernels::VerdictName(row.verdict)))];
    }
  }
  std::string text = fmt::format(
      "milliseconds of the operators that ran in all ways; the last column is the geometric mean "
      "of "
      "'{}' over 'influenced'\n{:<24} {:>5} {:>5} {:>5} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} "
      "{:>6}\n",
      baseline, "network", "ops", "ran", "infl", "vec", "isl", "no vec", "infl", "searched",
      "floor", "mean");
  for (const auto& [name, totals] : networks) text += totals.Line(name.empty() ? "-" : name);
  text += all.Line("all");
  if (all.ratio.count > 0) {
    text += fmt::format("worst: {:.2g} at {}\n", all.ratio.worst, all.ratio.worst_at);
    text += fmt::format("searched: {:.2f} x\n", all.searched_ratio.mean());
  }
  if (all.transposes.count > 0) {
    text +=
        fmt::format("with a transpose: {} operators, {:.2f} x; searched: {:.2f} x\n",
                    all.transposes.count, all.transposes.mean(), all.searched_transposes.mean());
  }
  if (std::vector<double> shares = all.shares_of_floor; !shares.empty()) {
    std::ranges::sort(shares);
    const auto at = [&](double part) {
      return shares[static_cast<std::size_t>(part * static_cast<double>(shares.size() - 1))];
    };
    text += fmt::format(
        "above 64 MB: {} operators; floor over searched: {:.2f} at the median, {:.2f} and {:.2f} "
        "at "
        "the quarters\n",
        shares.size(), at(0.5), at(0.25), at(0.75));
  }
  for (const auto& [why, count] : refused) text += fmt::format("refused {:>5}  {}\n", count, why);
  for (const auto& [why, count] : failed) text += fmt::format("failed  {:>5}  {}\n", count, why);
  return text + scheduling.Text();
}

}  // namespace exh::search
