// SPDX-License-Identifier: MIT
#include "search/page/again/roofline.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "models/bound.h"
#include "models/device_rates.h"
#include "search/log/replay.h"
#include "search/subject/candidate_bound.h"

namespace exh::search {
namespace {

struct Point {
  std::uint64_t n = 0;
  double intensity = 0;
};

/// Correct evaluations: the fastest, and as many of the others, evenly.
std::vector<const EvalRecord*> Sample(const Log& log, std::size_t most) {
  std::vector<const EvalRecord*> evals;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == kernels::Verdict::kCorrect && eval.best_ns > 0) evals.push_back(&eval);
  }
  std::ranges::stable_sort(evals, {}, &EvalRecord::best_ns);
  if (evals.size() <= most) return evals;
  const std::size_t fastest = most / 2, others = most - fastest;
  std::vector<const EvalRecord*> sample(evals.begin(),
                                        evals.begin() + static_cast<std::ptrdiff_t>(fastest));
  for (std::size_t i = 0; i < others; ++i) {
    sample.push_back(evals[fastest + i * (evals.size() - fastest) / others]);
  }
  return sample;
}

/// Operations for each byte that arrives, if all units had as many bytes as the busiest; 0: not
/// known. So the rate of arriving bytes times it is what the bound of that term allows.
double IntensityOf(const models::Bound& bound, double flops, double units) {
  const auto traffic = std::ranges::find(bound.terms, "traffic", &models::BoundTerm::resource);
  if (traffic == bound.terms.end() || !(traffic->amount > 0)) return 0;
  return flops / (traffic->amount * units);
}

std::vector<Point> Points(const Log& log, const Rebuilt& rebuilt, double units, std::size_t most) {
  std::vector<Point> points;
  const CandidateBound bound(rebuilt.kernel()->problem(), log.run->is_cold()
                                                              ? models::CacheState::kCold
                                                              : models::CacheState::kWarm);
  const std::vector<const EvalRecord*> sample = Sample(log, most);
  points.resize(sample.size());
  RunInParallel(sample.size(), NumCores(), [&](std::size_t i) {
    runtime::Candidate candidate = rebuilt.root();
    ReplayRecord(log, *sample[i], candidate);
    points[i] = {sample[i]->n, IntensityOf(bound.Explain(candidate), log.run->flops, units)};
    return true;
  });
  std::erase_if(points, [](const Point& point) { return !(point.intensity > 0); });
  return points;
}

}  // namespace

void WriteRoofline(const Log& log, const Rebuilt& rebuilt, std::size_t most, ScriptJson& json) {
  std::optional<models::DeviceRates> rates;
  std::vector<Point> points;
  if (rebuilt.trouble().empty() && rebuilt.kernel() != nullptr) {
    try {
      rates = KnownRates(rebuilt.kernel()->problem().device);
      if (rates) points = Points(log, rebuilt, rates->units, most);
    } catch (const std::exception&) {
      rates.reset();  // A page without this chart is a page.
    }
  }
  json.Key("roofline");
  if (!rates) {
    json.Null();
    return;
  }
  const double clocks = rates->units * rates->clock_ghz;
  json.Open('{');
  json.Key("peak").Number(2 * rates->fma_per_clk * clocks);
  json.Key("unitPeak").Number(2 * rates->half_unit_per_clk * clocks);
  json.Key("traffic").Number(rates->unit_bytes_per_clk * clocks);
  json.Key("memory").Number(rates->memory_gbs);
  json.Key("n").Open('[');
  for (const Point& point : points) json.Integer(static_cast<std::int64_t>(point.n));
  json.Close();
  json.Key("intensity").Open('[');
  for (const Point& point : points) json.Number(point.intensity);
  json.Close();
  json.Close();
}

}  // namespace exh::search
