// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/derived/expression.h"

namespace exh::kernels::derived {

/// Do the elements of the output that `store` writes err by roundings that differ from one to the
/// next, or not at all? Only arithmetic of floats does, where it converts nothing.
bool ErrsAtRandom(const Expression& expression, int store);

/// ArrayData::rms_limit of the result that `store` writes: RmsLimit() of so many elements as err on
/// their own. Where a value that errs is read several times its errors add up, and they need not be
/// at random: four times the square of it is left to them. What is rounded to a narrow type is off
/// by as much as may be or not at all, and in up to a hundredth of the elements it is. `roundings`:
/// RoundingsInARow().
double MeanLimit(const Expression& expression, const std::vector<double>& roundings, int store,
                 const std::vector<double>& tolerances);

}  // namespace exh::kernels::derived
