// SPDX-License-Identifier: MIT
//
// Each value is that of a reduction over the steps until there, and has its errors (reference.cc):
// of `count` additions that go from i to v, count (i^2 + v^2 + sum of t^2), besides those of the
// terms. Where the terms come of a scan along the same axis, one rounding is in many of them, with
// the same sign: then errors add up, and not their squares. By Cauchy and Schwarz that is at most
// `count` times as much.
#include "kernels/derived/reference/scans/scan.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "kernels/derived/reference/exact_total.h"
#include "kernels/derived/reference/stoppable.h"
#include "kernels/derived/tolerance.h"

namespace exh::kernels::derived {
namespace {

template <typename Real>
class StepByStep {
 public:
  StepByStep(const ScanPath& path, const NodeTensor& begins, NodeTensor& tensor)
      : path_(path), begins_(begins), tensor_(tensor) {}

  bool Run(double& largest) {
    const std::int64_t across = (path_.inner + kRow - 1) / kRow;
    const auto points = static_cast<double>(path_.steps * std::min(kRow, path_.inner));
    largest = 0;
    std::mutex mutex;
    return InTasks(path_.outer * across, points, [&](std::int64_t first, std::int64_t end) {
      std::vector<Sum> sums;
      Real squares = 0;
      for (std::int64_t piece = first; piece < end; ++piece) {
        Accumulate(piece / across, piece % across * kRow, sums, squares);
      }
      const double most =
          LargestSum(static_cast<double>(path_.steps + 1), static_cast<double>(std::sqrt(squares)));
      const std::lock_guard<std::mutex> lock(mutex);
      largest = std::max(largest, most);
    });
  }

 private:
  using Sum = GatheredTerms<Real>;

  static double ErrorAt(const NodeTensor& tensor, std::int64_t place) {
    return tensor.errors ? tensor.errors[At(place)] : 0;
  }

  /// Those of a block from point `first` of its rows on.
  void Accumulate(std::int64_t block, std::int64_t first, std::vector<Sum>& sums, Real& squares) {
    const std::int64_t points = std::min(kRow, path_.inner - first);
    sums.assign(At(points), Sum(path_.reduction, true));
    for (std::int64_t i = 0; i < points; ++i) {
      const std::int64_t place = block * path_.inner + first + i;
      sums[At(i)].Begin(path_.reduction, begins_.values[At(place)], ErrorAt(begins_, place));
    }
    const bool is_before = path_.keeps == ir::Keeps::kBefore;
    for (std::int64_t step = 0; step < path_.steps; ++step) {
      for (std::int64_t i = 0; i < points; ++i) {
        const std::int64_t place = (block * path_.steps + step) * path_.inner + first + i;
        const double term = tensor_.values[At(place)], error = ErrorAt(tensor_, place);
        Sum& sum = sums[At(i)];
        if (is_before) Keep(sum, step, place);
        sum.Take(path_.reduction, term, error);
        if (!is_before) Keep(sum, step + 1, place);
        if (std::isfinite(sum.total.squares)) squares = std::max(squares, sum.total.squares);
      }
    }
  }

  /// What came of so many steps.
  void Keep(const Sum& sum, std::int64_t count, std::int64_t place) {
    Total<Real> total = sum.total;
    tensor_.values[At(place)] = total.Slot(path_.reduction);
    if (!tensor_.errors) return;
    const auto steps = static_cast<Real>(count);
    if (path_.are_alike && !path_.reduction.picks()) total.error *= std::max<Real>(steps, 1);
    if (path_.reduction.adds() && total.are_finite) {
      const Real value = total.value;
      total.error += path_.reduction.own * (steps * (total.squares + value * value));
    }
    if (sum.exact.is_exact()) total.error = 0;
    tensor_.errors[At(place)] = total.SlotError(path_.reduction);
  }

  const ScanPath& path_;
  const NodeTensor& begins_;
  NodeTensor& tensor_;
};

}  // namespace

bool Accumulate(const ScanPath& path, const NodeTensor& begins, NodeTensor& tensor,
                double& largest) {
  return HasRoots(path.reduction.type) ? StepByStep<long double>(path, begins, tensor).Run(largest)
                                       : StepByStep<double>(path, begins, tensor).Run(largest);
}

}  // namespace exh::kernels::derived
