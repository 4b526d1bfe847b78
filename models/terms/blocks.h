// SPDX-License-Identifier: MIT
//
// The other terms take each its own best number of blocks: arithmetic as many as share out evenly,
// operands as few as possible. This one asks for one number that is good for both.
//
// Of n blocks the busiest unit has ceil(n / units). And the more blocks there are, the fewer points
// has each: with Q points of the axes along which one of the two operands of a product stays the
// same, a block (and a thread of it, or a warp of a matrix unit) that uses each element of the
// first operand for r1 points, and of the second for r2, has r1 * r2 <= Q. So for each point it
// reads no less than the least of 1 / r1 + 1 / r2.
#pragma once

#include <array>

#include "models/terms/term.h"

namespace exh::models::terms {

/// Clocks of the busiest unit for the largest product of a kernel: of each number of blocks the
/// longest of arithmetic, issue, access and conversion, and of all possible numbers the least of
/// these. Where it is open whether a matrix unit does the product, the better way counts. Nothing
/// that a model learns from: of implementations the other terms know as much.
class Blocks : public CountedTerm {
 public:
  static constexpr std::string_view kResource = "blocks";
  static constexpr Group kGroup = Group::kInstructions;
  static constexpr Ends kEnds = Ends::kGapAndRead;

  void Finish(const WorkView& view);

  static Rate RateOf(const DeviceRates& rates) { return Rate::Clocks(rates); }
  /// With which number of blocks.
  std::string Unit(const WorkView& view) const;
  static std::array<double, 0> Numbers() { return {}; }

 private:
  double best_ = 1;  ///< Number of blocks; kMostWaves for each unit: as many or more.
};

}  // namespace exh::models::terms
