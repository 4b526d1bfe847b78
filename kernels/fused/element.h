// SPDX-License-Identifier: MIT
//
// Accesses over the arguments of a call: which element they mean.
#pragma once

#include <optional>
#include <vector>

#include "kernels/fused/statements.h"
#include "kernels/ir/index/condition.h"

namespace exh::kernels::fused {

/// Which element of a row-major tensor an access means. `arguments`: the value of each iterator of
/// the statement.
ir::Index ElementOf(const Access& access, const std::vector<std::int64_t>& shape,
                    const std::vector<ir::Index>& arguments);

/// Holds where a guarded access is in its tensor.
ir::Condition GuardOf(const Access& access, const std::vector<std::int64_t>& shape,
                      const std::vector<ir::Index>& arguments);

/// How far apart elements are from one value of the variable to the next; nothing: that is not the
/// same everywhere.
std::optional<std::int64_t> StrideAlong(const ir::Index& element,
                                        const ir::IndexVariable& variable);

/// Elements along the variable are neighbours, and `width` of them from a multiple of it on begin
/// at a multiple of it.
bool IsWide(const ir::Index& element, const ir::IndexVariable& variable, int width);

}  // namespace exh::kernels::fused
