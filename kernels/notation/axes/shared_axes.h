// SPDX-License-Identifier: MIT
//
// Which indices are the same axis of a kernel. An index that reads a value is the axis that the
// value was stated with. Beyond that, indices of one name and extent are one axis, unless two
// indices of a place would then be the same: a nest of loops has no axis twice.
#pragma once

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/notation/resolve.h"

namespace exh::kernels::notation {

class SharedAxes {
 public:
  /// Index::axis of an index that is made; its own until Number().
  int New();
  void Unite(const Index& a, const Index& b);
  /// The indices that one expression is under.
  void AddPlace(const std::vector<Index*>& indices) { places_.push_back(indices); }
  /// Two indices of a place that are the same axis: c[i, j] = t[i] + t[j].
  std::optional<std::pair<const Index*, const Index*>> Clash() const;
  /// Unites what has one name and extent, and numbers the axes of all indices from 0. Returns how
  /// many there are. There is no Clash().
  int Number(std::deque<Index>& indices);

 private:
  int Root(int axis) const;

  std::vector<int> parent_;  ///< Union-find; the smallest number of a set is its root.
  std::vector<std::vector<Index*>> places_;
};

}  // namespace exh::kernels::notation
