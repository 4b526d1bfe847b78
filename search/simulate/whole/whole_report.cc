// SPDX-License-Identifier: MIT
#include "search/simulate/whole/whole_report.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/numbers.h"
#include "search/simulate/tables.h"

namespace exh::search {
namespace {

std::string FactorText(double factor) {
  return std::isfinite(factor) ? fmt::format("{:.3f}", factor) : "-";
}

}  // namespace

std::string WholeText(const SimulationSetup& setup, const Oracle& oracle, std::uint64_t evaluations,
                      const WholeResults& results) {
  const OracleQuality& quality = oracle.quality();
  std::string text = fmt::format(
      "record: {} implementations, {} of them correct, best {}; {:.0f} % fail\n"
      "of the other half of it: rank correlation {:.3f} in the mean, {:.3f} of answers, half of "
      "them within a factor of {:.2f}; {:.0f} % fail\n",
      oracle.num_recorded(), oracle.num_timed(), FormatTime(oracle.best_ns()),
      100 * quality.failures, quality.mean, quality.answer, quality.factor,
      100 * quality.answered_failures);
  text += setup.bound.empty() ? "no lower bound is known: nothing is cut\n"
                              : fmt::format("lower bound: {}\n", setup.bound);
  text +=
      fmt::format("{} seeds from {}, {} evaluations each\n", setup.seeds, setup.seed, evaluations);
  text +=
      "\nbest after so many evaluations, against the best of the record: geometric mean "
      "(least-most);\n"
      "evaluations until within 5 % and 1 % of it, median (least-most);\n"
      "all of that against the default, with its standard error:\n";
  std::vector<std::vector<std::string>> rows(1);
  rows.front() = {"setting"};
  for (const WholeResult::Look& look : results.settings.front().looks) {
    rows.front().push_back(CountText(look.evaluations));
  }
  for (const Reached& reached : results.settings.front().reached) {
    rows.front().push_back(fmt::format("{:g} %", reached.percent));
  }
  rows.front().emplace_back("against");
  rows.push_back({"(recorded)"});
  const Trace first = oracle.FirstRun();
  for (const WholeResult::Look& look : results.settings.front().looks) {
    rows.back().push_back(FactorText(first.BestAfter(look.evaluations) / oracle.best_ns()));
  }
  rows.back().resize(rows.front().size());
  for (const WholeResult& result : results.settings) {
    rows.push_back({result.setting});
    for (const WholeResult::Look& look : result.looks) {
      rows.back().push_back(fmt::format("{} ({}-{})", FactorText(look.mean), FactorText(look.least),
                                        FactorText(look.most)));
    }
    for (const Reached& reached : result.reached) rows.back().push_back(ReachedText(reached));
    const bool is_known = std::isfinite(result.against_default);
    rows.back().push_back(
        is_known ? fmt::format("{:.3f} +-{:.3f}", result.against_default, result.error) : "-");
  }
  return text + TableText(rows);
}

std::string WholeJson(const SimulationSetup& setup, const Oracle& oracle, std::uint64_t evaluations,
                      const WholeResults& results) {
  Json settings = Json::array();
  for (const WholeResult& result : results.settings) {
    Json looks = Json::array();
    for (const WholeResult::Look& look : result.looks) {
      looks.push_back({{"evaluations", look.evaluations},
                       {"mean", NumberJson(look.mean)},
                       {"least", NumberJson(look.least)},
                       {"most", NumberJson(look.most)},
                       {"all", NumbersJson(look.all)}});
    }
    settings.push_back({{"setting", result.setting},
                        {"looks", looks},
                        {"within", ReachedJson(result.reached)},
                        {"against_default", NumberJson(result.against_default)},
                        {"error", NumberJson(result.error)}});
  }
  Json recorded = Json::array();
  const Trace first = oracle.FirstRun();
  for (const WholeResult::Look& look : results.settings.front().looks) {
    recorded.push_back(NumberJson(first.BestAfter(look.evaluations) / oracle.best_ns()));
  }
  const OracleQuality& quality = oracle.quality();
  Json all = SetupJson(setup);
  all.update({{"implementations", oracle.num_recorded()},
              {"correct", oracle.num_timed()},
              {"best_ns", oracle.best_ns()},
              {"evaluations", evaluations},
              {"recorded", recorded},
              {"quality",
               {{"mean", quality.mean},
                {"answer", quality.answer},
                {"factor", quality.factor},
                {"failures", quality.failures},
                {"answered_failures", quality.answered_failures}}},
              {"settings", settings}});
  return all.dump(1) + "\n";
}

}  // namespace exh::search
