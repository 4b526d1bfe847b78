// SPDX-License-Identifier: MIT
#include "search/commands/fused/scheduling_totals.h"

#include <fmt/format.h>

#include <algorithm>

namespace exh::search {

using kernels::fused::ProgramSchedule;
using kernels::fused::SchedulingCost;

void SchedulingTotals::Add(const ProgramSchedule& schedule) {
  Add(schedule.cost, std::ranges::none_of(schedule.leaves, &std::string::empty));
}

void SchedulingTotals::Add(const SchedulingCost& cost, bool is_influenced) {
  seconds_.push_back(cost.seconds);
  influenced_ += is_influenced ? 1 : 0;
  all_ += cost;
}

std::string SchedulingTotals::Text() const {
  if (seconds_.empty()) return "nothing was scheduled\n";
  std::vector<double> sorted = seconds_;
  std::ranges::sort(sorted);
  const auto at = [&](double part) {
    return 1e3 * sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
  };
  std::string steps;
  constexpr const char* kSteps[] = {"",
                                    "progression dropped",
                                    "next sibling",
                                    "satisfied dependences dropped",
                                    "sibling of an ancestor",
                                    "split",
                                    "tree left",
                                    "original order"};
  for (std::size_t i = 1; i < all_.steps.size(); ++i) {
    steps += fmt::format("{}({}) {} {}", steps.empty() ? "" : ", ", i, kSteps[i], all_.steps[i]);
  }
  return fmt::format(
      "{} scheduled, {} of them influenced: median {:.2f} ms, 90 % within {:.1f} ms, slowest "
      "{:.0f} "
      "ms, all {:.1f} s; {} systems, {} without a solution\n{}\n",
      seconds_.size(), influenced_, at(0.5), at(0.9), at(1), all_.seconds, all_.systems,
      all_.infeasible, steps);
}

}  // namespace exh::search
