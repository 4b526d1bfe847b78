// SPDX-License-Identifier: MIT
#include "search/simulate/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "search/log/log_json.h"
#include "search/simulate/tables.h"

namespace exh::search {
namespace {

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

Json CurveJson(const Curve& curve) {
  return {{"x", NumbersJson(curve.x)},
          {"q1_ns", NumbersJson(curve.low)},
          {"median_ns", NumbersJson(curve.median)},
          {"q3_ns", NumbersJson(curve.high)}};
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
  text += TableText(rows) + "\nbest after so many evaluations, median:\n";
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
  return text + TableText(rows);
}

Json SetupJson(const SimulationSetup& setup) {
  return {{"format", 1},
          {"runs", setup.runs},
          {"kernel", setup.run.kernel},
          {"sizes", setup.run.sizes},
          {"device", setup.run.device},
          {"conditions", setup.run.conditions},
          {"bound", setup.bound},
          {"seed", setup.seed},
          {"seeds", setup.seeds}};
}

std::string SimulationJson(const SimulationSetup& setup, const Record& record,
                           std::span<const SimulationResult> results) {
  Json policies = Json::array();
  for (const SimulationResult& result : results) {
    policies.push_back({{"policy", result.policy},
                        {"ended", result.ended},
                        {"within", ReachedJson(result.reached)},
                        {"evaluations", CurveJson(result.by_evaluations)},
                        {"seconds", CurveJson(result.by_seconds)}});
  }
  Json all = SetupJson(setup);
  all.update({{"implementations", record.leaves().size()},
              {"correct", record.num_correct()},
              {"violations", record.num_violations()},
              {"best_ns", record.best_ns()},
              {"policies", policies}});
  return all.dump(1) + "\n";
}

}  // namespace exh::search
