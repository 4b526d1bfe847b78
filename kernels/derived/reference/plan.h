// SPDX-License-Identifier: MIT
//
// What of an expression is computed where, before anything is: reference.cc has the words.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/derived/expression.h"
#include "kernels/derived/reference/programs/sample.h"

namespace exh::kernels::derived {

/// Of an expression, which outlives it, or of a sample of its values.
class Plan {
 public:
  Plan(const Expression& expression, const Sample& of_values);

  /// Has a node nothing to compute?
  bool IsRead(const Expression::Node& node) const;

  // By node:
  std::vector<double> roundings;  ///< In a row.
  std::vector<bool> has_tensor;
  /// The last one computed that reads its tensor, or what it stores; -1: none does.
  std::vector<int> last_reader;

  std::vector<int> stores;  ///< Of what is loaded again.

  Sample sample;        ///< Along the axis of the strips.
  int strip_axis = -1;  ///< -1: all is computed at once.
  std::int64_t strip =
      1;  ///< How many of its values, or of those of the sample, are computed at once.

 private:
  void CutChains();
  void PlanReader(int index);
  void PlanStrips();
  double Points(const Expression::Node& node) const;
  double Computed(const Expression::Node& node) const;

  const Expression& expression_;
};

}  // namespace exh::kernels::derived
