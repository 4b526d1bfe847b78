// SPDX-License-Identifier: MIT
//
// Random descents to complete implementations, and what they cost: for the benchmarks of the
// engine.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "runtime/candidate.h"
#include "runtime/internal/rows/propagator.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"

namespace exh::tests {

using Clock = std::chrono::steady_clock;

inline double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Descents that back out of dead ends; after kPatience of them a descent starts again.
struct Rate {
  static constexpr int kPatience = 50;
  double per_second = 0;  ///< Implementations reached.
  double decisions = 0, constrained = 0, dead_ends = 0, events = 0;
  std::uint64_t implementations = 0, given_up = 0;
  /// How many dead ends each requirement, counter or trigger had the last word in.
  std::map<std::string, std::uint64_t> by_label;
};

inline Rate MeasureDescents(const runtime::Candidate& root, const search::ChoiceOrder& order,
                            double seconds) {
  search::Descender descender(order, Rate::kPatience);
  Random random(1);
  Rate rate;
  std::uint64_t dead_ends = 0, decisions = 0, constrained = 0;
  const std::uint64_t events = runtime::internal::EventsOfThread();
  const auto start = Clock::now();
  // At least one implementation, if it takes ten times as long.
  while (Since(start) < seconds || (rate.implementations == 0 && Since(start) < 10 * seconds)) {
    const auto result = descender.Run(root, random, [&](const search::DeadEnd& dead_end) {
      ++dead_ends;
      ++rate.by_label[dead_end.label];
    });
    if (result != search::DescentResult::kImplementation) {
      ++rate.given_up;
      continue;
    }
    ++rate.implementations;
    decisions += descender.path().size();
  }
  const double n = static_cast<double>(std::max<std::uint64_t>(1, rate.implementations));
  rate.per_second = static_cast<double>(rate.implementations) / Since(start);
  rate.events = static_cast<double>(runtime::internal::EventsOfThread() - events) / n;
  rate.dead_ends = static_cast<double>(dead_ends) / n;
  rate.decisions = static_cast<double>(decisions) / n;
  const runtime::Candidate& last = descender.candidate();
  for (runtime::DecisionId d = 0; d < root.instance().num_decisions(); ++d) {
    constrained +=
        last.IsLive(d) && last.IsConstrained(d) && !(root.IsLive(d) && root.IsConstrained(d));
  }
  rate.constrained = static_cast<double>(constrained);  // Of the last descent.
  return rate;
}

}  // namespace exh::tests
