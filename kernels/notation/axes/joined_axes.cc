// SPDX-License-Identifier: MIT
#include "kernels/notation/axes/joined_axes.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>

namespace exh::kernels::notation {
namespace {

using Strides = std::vector<std::pair<const Index*, std::int64_t>>;
using Scope = std::vector<const Index*>;

class Joiner {
 public:
  Joiner(const Kernel& kernel, ResolvedKernel& resolution)
      : kernel_(kernel), resolution_(resolution), extent_(Axes(), 0), name_(Axes()) {
    for (const Index& index : resolution.indices) {
      const auto axis = static_cast<std::size_t>(index.axis);
      extent_[axis] = *index.extent;
      if (name_[axis].empty()) name_[axis] = index.name;
    }
    FindFixed();
  }

  void Run() {
    for (int axis = 0; axis < resolution_.num_axes; ++axis) {
      if (MayGo(axis)) Erase(axis);
    }
    // A join may bring about the next one: of three axes the first two, or the last two, come
    // first.
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (int outer = 0; outer < resolution_.num_axes; ++outer) {
        for (int inner = 0; inner < resolution_.num_axes; ++inner) {
          if (!AreNeighbours(outer, inner)) continue;
          Join(outer, inner);
          is_done = false;
        }
      }
    }
  }

 private:
  std::size_t Axes() const { return static_cast<std::size_t>(resolution_.num_axes); }
  std::int64_t Extent(int axis) const { return extent_[static_cast<std::size_t>(axis)]; }

  /// Axes of which something else speaks.
  void FindFixed() {
    for (const auto& [expr, index] : resolution_.numbers) fixed_.insert(index->axis);
    for (const auto& [expr, access] : resolution_.reads) {
      for (const Leaving& leaving : access.leaves) {
        for (const auto& [index, factor] : leaving.factors) fixed_.insert(index->axis);
      }
    }
    for (const TileHint& hint : kernel_.tiles) {
      for (const Index& index : resolution_.indices) {
        if (std::ranges::find(hint.indices, index.name, &Name::text) != hint.indices.end()) {
          fixed_.insert(index.axis);
        }
      }
    }
    // What argmin and argmax count.
    for (const auto& [expr, indices] : resolution_.reductions) {
      if (expr->text != "argmin" && expr->text != "argmax") continue;
      for (const Index* index : indices) fixed_.insert(index->axis);
    }
  }

  static bool Has(const Scope& scope, int axis) {
    return std::ranges::any_of(scope, [&](const Index* index) { return index->axis == axis; });
  }
  /// How far a step of the axis moves the element; 0: not at all.
  static std::int64_t StrideOf(const Strides& strides, int axis) {
    for (const auto& [index, stride] : strides) {
      if (index->axis == axis) return stride;
    }
    return 0;
  }
  static std::ptrdiff_t Count(const Strides& strides, int axis) {
    return std::ranges::count_if(strides, [&](const auto& s) { return s.first->axis == axis; });
  }

  /// An axis of one iteration that no reduction is made of alone.
  bool MayGo(int axis) const {
    if (Extent(axis) != 1 || fixed_.count(axis) != 0) return false;
    return std::ranges::none_of(resolution_.reductions, [&](const auto& reduction) {
      return reduction.second.size() == 1 && Has(reduction.second, axis);
    });
  }

  /// Does the axis move through elements that another one moves through, too, as r does in
  /// x[i + r, j]? Together with j it would be a row of which i takes a part each time.
  bool MeetsAnother(const Strides& strides, int axis) const {
    const auto [step, reach] = StepAndReach(strides, axis);
    return step != 0 &&
           std::ranges::any_of(strides, [&, step = step, reach = reach](const auto& s) {
             if (s.first->axis == axis || Extent(s.first->axis) <= 1) return false;
             const auto [other_step, other_reach] = StepAndReach(strides, s.first->axis);
             if (other_step == 0) return false;
             return step >= other_step ? step <= other_reach : other_step <= reach;
           });
  }
  /// How far one step of the axis moves the element, and how far all of them do.
  std::pair<std::int64_t, std::int64_t> StepAndReach(const Strides& strides, int axis) const {
    const std::int64_t step = std::abs(StrideOf(strides, axis));
    return {step, step * (Extent(axis) - 1)};
  }

  bool AreNeighbours(int outer, int inner) const {
    if (outer == inner || Extent(outer) <= 1 || Extent(inner) <= 1) return false;
    if (fixed_.count(outer) != 0 || fixed_.count(inner) != 0) return false;
    if (Extent(outer) > std::numeric_limits<std::int32_t>::max() / Extent(inner)) return false;
    const auto go_together = [&](const Scope& scope) {
      return Has(scope, outer) == Has(scope, inner);
    };
    const auto adjoin = [&](const Strides& strides) {
      const std::ptrdiff_t count = Count(strides, outer);
      return count == Count(strides, inner) && count <= 1 &&
             StrideOf(strides, outer) == StrideOf(strides, inner) * Extent(inner);
    };
    for (std::size_t i = 0; i < resolution_.left.size(); ++i) {
      if (!go_together(resolution_.left[i])) return false;
      if (resolution_.output_of[i] >= 0 && !adjoin(resolution_.left_strides[i])) return false;
    }
    for (const auto& [expr, indices] : resolution_.reductions) {
      if (!go_together(indices)) return false;
    }
    for (const auto& [expr, access] : resolution_.reads) {
      const bool is_array = access.array >= 0;
      if (is_array ? !adjoin(access.strides) || MeetsAnother(access.strides, outer)
                   : Count(access.strides, outer) != Count(access.strides, inner)) {
        return false;
      }
    }
    return true;
  }

  void Join(int outer, int inner) {
    const auto to = static_cast<std::size_t>(outer);
    extent_[to] *= Extent(inner);
    name_[to] += "_" + name_[static_cast<std::size_t>(inner)];
    // A step of the new axis is one of the inner one.
    const auto shorten = [&](Strides& strides) {
      for (auto& [index, stride] : strides) {
        if (index->axis == outer) stride = StrideOf(strides, inner);
      }
    };
    for (Strides& strides : resolution_.left_strides) shorten(strides);
    for (auto& [expr, access] : resolution_.reads) {
      if (access.array >= 0) shorten(access.strides);
    }
    Erase(inner);
    for (Index& index : resolution_.indices) {
      if (index.axis != outer) continue;
      index.extent = extent_[to];
      index.name = name_[to];
    }
  }

  void Erase(int axis) {
    const auto is_it = [&](const Index* index) { return index->axis == axis; };
    const auto moves_along = [&](const auto& stride) { return stride.first->axis == axis; };
    for (Scope& scope : resolution_.left) std::erase_if(scope, is_it);
    for (auto& [expr, scope] : resolution_.reductions) std::erase_if(scope, is_it);
    for (Strides& strides : resolution_.left_strides) std::erase_if(strides, moves_along);
    for (auto& [expr, access] : resolution_.reads) std::erase_if(access.strides, moves_along);
    extent_[static_cast<std::size_t>(axis)] = 0;
  }

  const Kernel& kernel_;
  ResolvedKernel& resolution_;
  std::vector<std::int64_t> extent_;  ///< By axis; 0: it is gone.
  std::vector<std::string> name_;     ///< By axis.
  std::set<int> fixed_;
};

}  // namespace

void JoinAxes(const Kernel& kernel, ResolvedKernel& resolution) {
  Joiner(kernel, resolution).Run();
}

}  // namespace exh::kernels::notation
