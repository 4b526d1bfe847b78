// SPDX-License-Identifier: MIT
//
// What of an expression is computed where, before anything is: reference.cc has the words.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/derived/expression.h"

namespace exh::kernels::derived {

/// Of an expression, which outlives it.
class Plan {
 public:
  explicit Plan(const Expression& expression);

  /// Has a node nothing to compute?
  bool IsRead(const Expression::Node& node) const;

  // By node:
  std::vector<double> roundings;  ///< In a row.
  std::vector<bool> has_tensor;
  /// The last one computed that reads its tensor, or what it stores; -1: none does.
  std::vector<int> last_reader;

  std::vector<int> stores;  ///< Of what is loaded again.

  int strip_axis = -1;     ///< -1: all is computed at once.
  std::int64_t strip = 1;  ///< How much of it is computed at once.

 private:
  void CutChains();
  void PlanReader(int index);
  void PlanStrips();
  double Points(const Expression::Node& node) const;

  const Expression& expression_;
};

}  // namespace exh::kernels::derived
