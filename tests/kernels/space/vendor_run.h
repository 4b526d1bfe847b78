// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/vendor_call.h"

namespace exh::kernels::testing {

/// Does on the CPU what the vendor's library would do: the steps before, then the steps. `arrays`
/// are those of the problem; `sizes` are their elements. What a step reaches outside of its array
/// is an error (a test failure), and nothing is read or written there.
void RunVendorCall(const VendorCall& call, float* const* arrays,
                   const std::vector<std::size_t>& sizes);

}  // namespace exh::kernels::testing
