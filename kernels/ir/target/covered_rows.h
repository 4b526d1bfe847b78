// SPDX-License-Identifier: MIT
//
// Rows of a matrix product on a processor with few vector registers.
//
// A tile of r rows by v vectors has r * v sums in registers, and reads r + v times for r * v
// multiply-adds. Of 16 registers 13 may be sums: 6 rows by 2 vectors read 8 times for 12
// multiply-adds, as BLIS has it (Van Zee and van de Geijn, ACM TOMS 41, 2015). An axis of 512 has
// no 6 among its divisors. The next tile, 4 by 2, has 8 sums, as many as are under way at once, and
// no more: each that waits for anything else is time lost. So such an axis is covered by a multiple
// of 12, or of 6, where that adds little: 516 for 512.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ir/device.h"
#include "kernels/ir/function.h"

namespace exh::kernels::ir {

/// Axes by the names that the backbone's builder knows them by, and what a multiple of they shall
/// be covered by.
struct CoveredRows {
  std::vector<std::string> axes;
  std::uint32_t multiple = 1;
};
/// Empty where the device has many registers, or none for vectors, and where the rows of each
/// product are a multiple of 6 or more than a thirty-second away from one.
CoveredRows RowsToCover(const Function& function, const Device& device);

}  // namespace exh::kernels::ir
