// SPDX-License-Identifier: MIT
#include "models/inventory/access_pattern.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "models/inventory/nests.h"

namespace exh::models {
namespace {

struct Step {
  kernels::ir::LogicalDimId axis;
  double stride, total;
};

/// Steps from the smallest stride on: does each leave the points of those before it behind?
bool AreDistinct(const std::vector<Step>& steps) {
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].stride < steps[i - 1].stride * steps[i - 1].total) return false;
  }
  return true;
}

double Sectors(const std::vector<Step>& steps, double elements, double sector) {
  if (steps.empty()) return 1;
  // Elements at least a sector apart have one each.
  if (steps.front().stride >= sector) return elements;
  // Otherwise the innermost axis touches every sector between its first element and its last.
  const double rows = elements / steps.front().total;
  const double row = (steps.front().total - 1) * steps.front().stride + 1;
  const bool apart = steps.size() == 1 || steps[1].stride - row >= sector - 1;
  return rows * (apart ? std::ceil(row / sector) : row / sector);
}

}  // namespace

AccessPattern PatternOf(const kernels::ir::Function& function, const kernels::ir::Instruction& inst,
                        double sector_bytes) {
  std::vector<Step> steps;
  for (const kernels::ir::AccessAxis& a : inst.access) {
    const double total = function.logical(a.logical).total;
    if (a.stride == 0 || total == 1) continue;
    steps.push_back({a.logical, std::abs(static_cast<double>(a.stride)), total});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.stride < b.stride; });
  if (!AreDistinct(steps)) {
    steps = {*std::max_element(steps.begin(), steps.end(),
                               [](const Step& a, const Step& b) { return a.total < b.total; })};
  }
  AccessPattern pattern;
  for (const Step& step : steps) {
    pattern.axes.push_back(step.axis);
    pattern.elements *= step.total;
  }
  pattern.sectors = Sectors(steps, pattern.elements, sector_bytes / kElementBytes);
  return pattern;
}

}  // namespace exh::models
