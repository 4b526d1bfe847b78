// SPDX-License-Identifier: MIT
#include "kernels/derived/calls/gathered_axes.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace exh::kernels::derived {
namespace {

void SortByStride(const StridedAccess& access, std::vector<int>& axes) {
  std::ranges::stable_sort(axes, std::ranges::greater{},
                           [&](int axis) { return access.StrideOf(axis); });
}

/// The shortest step of these axes through the array.
std::int64_t ShortestStep(const Expression& e, const Expression::Node& node,
                          const std::vector<int>& axes) {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (const int axis : axes) {
    if (e.axis(axis).total > 1) shortest = std::min(shortest, std::abs(node.StrideOf(axis)));
  }
  return shortest;
}

}  // namespace

std::vector<int> GatheredAxes(const Expression& expression, const LinearProduct& product, int load,
                              const StridedAccess& other, const StridedAccess& c) {
  const Expression::Node& node = expression.node(load);
  std::vector<int> batch, kept, summed;
  for (const int axis : node.axes) {
    const bool is_summed = std::ranges::find(product.reduced, axis) != product.reduced.end();
    (is_summed ? summed : other.Has(axis) ? batch : kept).push_back(axis);
  }
  SortByStride(c, batch);
  SortByStride(c, kept);
  SortByStride(other, summed);
  std::vector<int> axes = batch;
  const bool sums_inside =
      ShortestStep(expression, node, summed) < ShortestStep(expression, node, kept);
  const auto& outer = sums_inside ? kept : summed;
  const auto& inner = sums_inside ? summed : kept;
  axes.insert(axes.end(), outer.begin(), outer.end());
  axes.insert(axes.end(), inner.begin(), inner.end());
  return axes;
}

}  // namespace exh::kernels::derived
