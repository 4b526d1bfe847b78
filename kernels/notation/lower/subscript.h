// SPDX-License-Identifier: MIT
//
// A computed subscript of an array that has something outside, taken apart. Of `c ? i / 2 : -1`
// the number is i / 2, and where c does not hold it is outside, as -1 is; what range i / 2 has is
// known, so that it need not be held against both ends of the dimension.
//
// Where c is `i % 2 == 0`, the quotient is exact, which is what transposed convolutions read at. It
// is inside of a dimension of n elements if and only if i is inside of 2 * n, which a guard says;
// and what the remainder i - i / 2 * 2 is times the elements of the array, added to the number of
// the element, is 0 or leads out of it. So no condition is computed at all.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/notation/lower/affine_index.h"
#include "kernels/notation/lower/operand.h"
#include "kernels/notation/resolve.h"

namespace exh::kernels::notation {

/// `a % divisor == 0 ? a / divisor : outside`.
struct ExactQuotient {
  AffineIndex dividend;
  std::int64_t divisor = 1;
};

struct SubscriptParts {
  const Expr* number = nullptr;
  std::vector<const Expr*> conditions;             ///< Where one does not hold, nothing is there.
  bool may_be_below = true, may_be_beyond = true;  ///< Of 0; of the last element.
  /// Said once more: the number and its only condition.
  std::optional<ExactQuotient> exact;
};

/// `extent`: of the dimension.
SubscriptParts PartsOf(const Expr& subscript, std::int64_t extent, const ResolvedKernel& resolution,
                       const Scope& scope);

/// The least and the largest value of what is made of indices of the scope and whole numbers by
/// sums, multiples, quotients, remainders, min and max. Nothing of all else.
std::optional<std::pair<std::int64_t, std::int64_t>> RangeOf(const Expr& expr,
                                                             const ResolvedKernel& resolution,
                                                             const Scope& scope);

}  // namespace exh::kernels::notation
