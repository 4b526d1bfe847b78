// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/derived/expression.h"

namespace exh::kernels::text {

/// A load of an array of these extents, row by row: the index of each dimension. Those of guarded
/// dimensions are their guards', and may leave the array; all others stay inside. Nothing: the
/// element that the load says is no such place.
std::optional<std::vector<ir::Affine<int>>> SubscriptsOf(const derived::Expression& expression,
                                                         const derived::Expression::Node& load,
                                                         const std::vector<std::int64_t>& extents);

}  // namespace exh::kernels::text
