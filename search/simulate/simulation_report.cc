// SPDX-License-Identifier: MIT
#include "search/simulate/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "search/log/log_json.h"

namespace exh::search {
namespace {

std::string CountText(double count) {
  return std::isfinite(count) ? fmt::format("{:.6g}", count) : "-";
}

/// "42 (17-96)": median, least and most.
std::string ReachedText(const Reached& reached) {
  return fmt::format("{} ({}-{})", CountText(reached.median), CountText(reached.least),
                     CountText(reached.most));
}

/// Numbers of evaluations to look at: 10, 30, 100, 300 … and all.
std::vector<double> Looks(std::size_t all) {
  std::vector<double> looks;
  const auto most = static_cast<double>(all);
  for (double look = 10; look < most; look *= 10) {
    looks.push_back(look);
    if (3 * look < most) looks.push_back(3 * look);
  }
  looks.push_back(most);
  return looks;
}

/// The first column is as wide as its longest name.
std::string Table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("{:<{}}", row.front(), widths.front());
    for (std::size_t column = 1; column < row.size(); ++column) {
      text += fmt::format("  {:>{}}", row[column], widths[column]);
    }
    text += "\n";
  }
  return text;
}

Json Numbers(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(std::isfinite(value) ? Json(value) : Json());
  return array;
}

Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json CurveJson(const Curve& curve) {
  return {{"x", Numbers(curve.x)},
          {"q1_ns", Numbers(curve.low)},
          {"median_ns", Numbers(curve.median)},
          {"q3_ns", Numbers(curve.high)}};
}

}  // namespace

std::string SimulationText(const SimulationSetup& setup, const Record& record,
                           std::span<const SimulationResult> results) {
  std::string text =
      fmt::format("record: {} implementations, {} of them correct, best {}; {} seeds from {}\n",
                  record.leaves().size(), record.num_correct(), FormatTime(record.best_ns()),
                  setup.seeds, setup.seed);
  text += setup.bound.empty() ? "no lower bound is known: nothing is cut\n"
                              : fmt::format("lower bound: {}\n", setup.bound);
  if (record.num_violations() > 0) {
    text += fmt::format("note: {} of them are faster than their bound: it may cut off the best\n",
                        record.num_violations());
  }
  text += "\nevaluations until the best is within … of the record's, median (least-most):\n";
  std::vector<std::vector<std::string>> rows(1);
  rows.front() = {"policy"};
  for (const Reached& reached : results.front().reached) {
    rows.front().push_back(fmt::format("{:g} %", reached.percent));
  }
  rows.front().push_back("nothing left after");
  for (const SimulationResult& result : results) {
    rows.push_back({result.policy});
    for (const Reached& reached : result.reached) rows.back().push_back(ReachedText(reached));
    rows.back().push_back(CountText(result.ended));
  }
  text += Table(rows) + "\nbest after so many evaluations, median:\n";
  const std::vector<double> looks = Looks(record.leaves().size());
  rows.assign(1, {"policy"});
  for (const double look : looks) rows.front().push_back(CountText(look));
  for (const SimulationResult& result : results) {
    rows.push_back({result.policy});
    for (const double look : looks) {
      const double ns = MedianAt(result.by_evaluations, look);
      rows.back().push_back(std::isfinite(ns) ? FormatTime(ns) : "-");
    }
  }
  return text + Table(rows);
}

std::string SimulationJson(const SimulationSetup& setup, const Record& record,
                           std::span<const SimulationResult> results) {
  Json policies = Json::array();
  for (const SimulationResult& result : results) {
    Json within = Json::array();
    for (const Reached& reached : result.reached) {
      within.push_back({{"percent", reached.percent},
                        {"least", Number(reached.least)},
                        {"median", Number(reached.median)},
                        {"most", Number(reached.most)}});
    }
    policies.push_back({{"policy", result.policy},
                        {"ended", result.ended},
                        {"within", within},
                        {"evaluations", CurveJson(result.by_evaluations)},
                        {"seconds", CurveJson(result.by_seconds)}});
  }
  const Json all = {{"format", 1},
                    {"runs", setup.runs},
                    {"kernel", setup.run.kernel},
                    {"sizes", setup.run.sizes},
                    {"device", setup.run.device},
                    {"conditions", setup.run.conditions},
                    {"bound", setup.bound},
                    {"seed", setup.seed},
                    {"seeds", setup.seeds},
                    {"implementations", record.leaves().size()},
                    {"correct", record.num_correct()},
                    {"violations", record.num_violations()},
                    {"best_ns", record.best_ns()},
                    {"policies", policies}};
  return all.dump(1) + "\n";
}

}  // namespace exh::search
