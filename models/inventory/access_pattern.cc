// SPDX-License-Identifier: MIT
//
// An address is a sum of parts, one for each dimension that the load may leave, and one for each
// other axis. Parts whose steps are longer than all smaller parts together are apart: each pair of
// values is an address of its own. The others are one part, of all sums of their values. Of two
// arithmetic progressions, the number of sums is known; otherwise a set of sums has no fewer
// elements than both sets together, less one.
#include "models/inventory/access_pattern.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace exh::models {
namespace ir = kernels::ir;
namespace {

struct Part {
  std::int64_t step = 1;  ///< All differences are multiples of it.
  double distinct = 1;    ///< Values, at least.
  double reach = 0;       ///< From the smallest to the largest, at most.
  bool is_run = true;     ///< Each multiple of the step between them is a value.
  MovingAxis longest;
  double points = 1;        ///< Of `longest`, but for what is lost.
  bool is_guarded = false;  ///< It is a dimension that the load may leave.
};

/// Sums of a value of each, at least.
double Sums(const Part& a, const Part& b) {
  if (!a.is_run || !b.is_run) return a.distinct + b.distinct - 1;
  // (i, j) and (i + b / gcd, j - a / gcd) have the same sum. The first of each such chain counts.
  const std::int64_t step = std::gcd(a.step, b.step);
  const double again_a = std::max(0.0, a.distinct - static_cast<double>(b.step / step));
  const double again_b = std::max(0.0, b.distinct - static_cast<double>(a.step / step));
  return a.distinct * b.distinct - again_a * again_b;
}

bool IsRun(const Part& part) {
  return (part.distinct - 1) * static_cast<double>(part.step) == part.reach;
}

/// One part of two.
Part Merged(const Part& a, const Part& b) {
  Part merged = a.points >= b.points ? a : b;
  merged.distinct = Sums(a, b);
  merged.step = std::gcd(a.step, b.step);
  merged.reach = a.reach + b.reach;
  merged.is_run = IsRun(merged);
  return merged;
}

double Sectors(const std::vector<Part>& parts, double elements, double sector) {
  if (parts.empty()) return 1;
  const Part& innermost = parts.front();
  const auto step = static_cast<double>(innermost.step);
  // From an element to the next one, and from one that the innermost part ends with, at least.
  double between = step, behind = std::numeric_limits<double>::infinity();
  double reach = innermost.reach;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    behind = std::min(behind, static_cast<double>(parts[i].step) - reach);
    reach += parts[i].reach;
  }
  between = std::min(between, behind);
  // Elements at least a sector apart have one each.
  if (between >= sector) return elements;
  if (step >= sector || !innermost.is_run) return elements / std::ceil(sector / between);
  // Otherwise the innermost part touches every sector between its first element and its last.
  const double rows = elements / innermost.distinct;
  const double row = innermost.reach + 1;
  return rows * (behind >= sector ? std::ceil(row / sector) : row / sector);
}

class PatternTaker {
 public:
  PatternTaker(const ir::Function& function, const ir::Instruction& inst)
      : function_(function), inst_(inst) {}

  AccessPattern Take(double sector_bytes) {
    for (const ir::AccessAxis& moves : inst_.access) AddAxis(moves);
    for (const ir::AccessGuard& guard : inst_.guards) AddGuard(guard);
    Separate();
    AccessPattern pattern;
    for (const Part& part : parts_) {
      pattern.elements *= part.distinct;
      if (part.points <= 1 && !part.is_guarded) continue;
      pattern.axes.push_back(part.longest);
      pattern.points *= part.points;
    }
    if (lost_) {
      pattern.axes = {*lost_};
      pattern.points = 0;
    }
    pattern.sectors = Sectors(parts_, pattern.elements, sector_bytes / ir::BytesOf(inst_.type));
    return pattern;
  }

 private:
  double Total(const ir::AccessAxis& moves) const {
    return static_cast<double>(function_.logical(moves.logical).total);
  }
  std::int64_t StrideOf(ir::LogicalDimId axis) const {
    for (const ir::AccessAxis& moves : inst_.access) {
      if (moves.logical == axis) return moves.stride;
    }
    return 0;
  }
  /// Guards that know of the axis.
  auto GuardsOf(ir::LogicalDimId axis) const {
    return std::ranges::count_if(inst_.guards, [&](const ir::AccessGuard& guard) {
      return std::ranges::any_of(guard.axes, [&](const ir::AccessAxis& moves) {
        return moves.logical == axis && moves.stride != 0;
      });
    });
  }

  /// An axis along which the load does not leave the array.
  void AddAxis(const ir::AccessAxis& moves) {
    const double total = Total(moves);
    if (moves.stride == 0 || total == 1 || GuardsOf(moves.logical) > 0) return;
    const std::int64_t step = std::abs(moves.stride);
    parts_.push_back(
        {step, total, (total - 1) * static_cast<double>(step), true, {moves.logical, 0}, total});
  }

  /// A dimension that the load may leave. Where its axes are those of other dimensions too, they
  /// count as one point, which is inside. Where that is, nothing says.
  void AddGuard(const ir::AccessGuard& guard) {
    std::vector<ir::AccessAxis> axes;
    const auto give_up = [&](const ir::AccessAxis& moves) {
      lost_ = {moves.logical, Total(moves)};
    };
    std::int64_t stride = 0;  // Elements from one index of the dimension to the next.
    for (const ir::AccessAxis& moves : guard.axes) {
      if (moves.stride == 0 || Total(moves) == 1) continue;
      const std::int64_t of_address = StrideOf(moves.logical);
      if (of_address == 0 || of_address % moves.stride != 0) return give_up(moves);
      if (stride != 0 && stride != of_address / moves.stride) return give_up(moves);
      if (GuardsOf(moves.logical) > 1) return give_up(moves);
      stride = of_address / moves.stride;
      axes.push_back(moves);
    }
    if (axes.empty()) return;
    Part part = InsideOf(guard, axes);
    part.step *= std::abs(stride);
    part.reach *= std::abs(static_cast<double>(stride));
    part.is_run = IsRun(part);
    part.is_guarded = true;
    parts_.push_back(part);
  }

  /// Indices of the dimension that are inside of it.
  Part InsideOf(const ir::AccessGuard& guard, const std::vector<ir::AccessAxis>& axes) const {
    Part all;
    double first = static_cast<double>(guard.offset);
    for (const ir::AccessAxis& moves : axes) {
      const double total = Total(moves), lost = LostOf(guard, axes, moves);
      const std::int64_t step = std::abs(moves.stride);
      const double reach = (total - 1) * static_cast<double>(step);
      if (moves.stride < 0) first -= reach;
      const Part one{step, total, reach, true, {moves.logical, lost}, total - lost};
      all = &moves == &axes.front() ? one : Merged(all, one);
    }
    const auto step = static_cast<double>(all.step), extent = static_cast<double>(guard.extent);
    const double before = std::ceil(std::max(0.0, -first) / step);
    const double behind = std::ceil(std::max(0.0, first + all.reach - (extent - 1)) / step);
    all.distinct = std::max({1.0, all.points, all.distinct - before - behind});
    all.reach = std::max(0.0, all.reach - (before + behind) * step);
    return all;
  }

  /// Points of one axis at which the dimension's index is outside, wherever the other axes are.
  double LostOf(const ir::AccessGuard& guard, const std::vector<ir::AccessAxis>& axes,
                const ir::AccessAxis& axis) const {
    constexpr double kMostLooks = 4096;
    double looks = 1;
    double least = static_cast<double>(guard.offset), most = least;  // At index 0 of this axis.
    std::vector<ir::AccessAxis> others;
    for (const ir::AccessAxis& other : axes) {
      if (other.logical == axis.logical) continue;
      const double way = static_cast<double>(other.stride) * (Total(other) - 1);
      (way < 0 ? least : most) += way;
      looks *= Total(other);
      others.push_back(other);
    }
    const double total = Total(axis);
    const auto outside = [&](double from, double to) {
      return total - Inside(axis, from, to, static_cast<double>(guard.extent));
    };
    if (looks > kMostLooks) return std::min(total, outside(least, most));
    double lost = 0;
    for (double look = 0; look < looks; ++look) {
      double index = static_cast<double>(guard.offset), rest = look;
      for (const ir::AccessAxis& other : others) {
        index += static_cast<double>(other.stride) * std::fmod(rest, Total(other));
        rest = std::floor(rest / Total(other));
      }
      lost = std::max(lost, outside(index, index));
    }
    return lost;
  }

  /// Points of the axis at which an index in [0, extent) is certain, when it begins between `least`
  /// and `most`.
  double Inside(const ir::AccessAxis& axis, double least, double most, double extent) const {
    const auto step = static_cast<double>(axis.stride);
    double first = -least / step, last = (extent - 1 - most) / step;
    if (step < 0) {
      first = (extent - 1 - most) / step;
      last = -least / step;
    }
    first = std::max(0.0, std::ceil(first));
    last = std::min(Total(axis) - 1, std::floor(last));
    return std::max(0.0, last - first + 1);
  }

  /// Makes one part of those that are not apart. Then the smaller step is first.
  void Separate() {
    std::ranges::stable_sort(parts_, {}, &Part::step);
    std::vector<Part> apart;
    for (Part part : parts_) {
      const auto overlaps = [&] {
        double reach = 0;
        for (const Part& smaller : apart) reach += smaller.reach;
        return static_cast<double>(part.step) <= reach;
      };
      while (!apart.empty() && overlaps()) {
        for (const Part* one : {&part, &apart.back()}) {
          // Where its own axes are inside, the other's longest one no longer says.
          if (one->is_guarded) lost_ = {one->longest.axis, one->longest.lost + one->points};
        }
        part = Merged(apart.back(), part);
        apart.pop_back();
      }
      apart.push_back(part);
    }
    parts_ = std::move(apart);
  }

  const ir::Function& function_;
  const ir::Instruction& inst_;
  std::vector<Part> parts_;
  /// Where the load is inside is not known axis by axis: all points of this one are lost.
  std::optional<MovingAxis> lost_;
};

}  // namespace

AccessPattern PatternOf(const ir::Function& function, const ir::Instruction& inst,
                        double sector_bytes) {
  return PatternTaker(function, inst).Take(sector_bytes);
}

}  // namespace exh::models
