// SPDX-License-Identifier: MIT
//
// A factor of a product whose elements do not lie as those of a matrix: windows that overlap, steps
// outside of the array, axes that do not nest. Copied in the order that is said here, they do. Of
// the image of a convolution that copy is known as im2col.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/derived/calls/linear_form.h"
#include "kernels/derived/calls/matrix_product.h"

namespace exh::kernels::derived {

/// The axes of the load `load`, a factor of the product, from the outermost of the copy to the
/// innermost. The other factor and the result are at `other` and `c`: where axes nest in them, they
/// do in the copy. What moves least in the array is innermost, so that runs of it are copied.
std::vector<int> GatheredAxes(const Expression& expression, const LinearProduct& product, int load,
                              const StridedAccess& other, const StridedAccess& c);

/// More is not copied: then a library is not asked.
inline constexpr std::uint64_t kMostGatheredBytes = std::uint64_t{1} << 30;

}  // namespace exh::kernels::derived
