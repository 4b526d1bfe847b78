// SPDX-License-Identifier: MIT
#include "models/inventory/access_pattern.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

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

/// Points of an axis at which the load is inside of its array, at least; below the axis's total
/// where it may leave it.
double PointsInside(const kernels::ir::Instruction& inst, kernels::ir::LogicalDimId axis,
                    double total) {
  double inside = total;
  for (const kernels::ir::AccessGuard& guard : inst.guards) {
    for (const kernels::ir::AccessAxis& moves : guard.axes) {
      if (moves.logical != axis || moves.stride == 0) continue;
      // With other axes beside it, nothing is known of this one alone.
      if (guard.axes.size() > 1) return 1;
      const auto step = static_cast<double>(moves.stride);
      double first = (0 - static_cast<double>(guard.offset)) / step;
      double last =
          (static_cast<double>(guard.extent) - 1 - static_cast<double>(guard.offset)) / step;
      if (step < 0) std::swap(first, last);
      first = std::max(0.0, std::ceil(first));
      last = std::min(total - 1, std::floor(last));
      inside = std::min(inside, std::max(0.0, last - first + 1));
    }
  }
  return std::max(inside, 1.0);
}

}  // namespace

AccessPattern PatternOf(const kernels::ir::Function& function, const kernels::ir::Instruction& inst,
                        double sector_bytes) {
  std::vector<Step> steps;
  std::vector<kernels::ir::LogicalDimId> left;  // Axes along which the load leaves the array.
  for (const kernels::ir::AccessAxis& a : inst.access) {
    const double all = function.logical(a.logical).total;
    const double total = PointsInside(inst, a.logical, all);
    if (total < all) left.push_back(a.logical);
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
    if (std::ranges::find(left, step.axis) == left.end()) pattern.axes.push_back(step.axis);
    pattern.elements *= step.total;
  }
  const double bytes = kernels::ir::BytesOf(inst.type);
  pattern.sectors = Sectors(steps, pattern.elements, sector_bytes / bytes);
  return pattern;
}

}  // namespace exh::models
