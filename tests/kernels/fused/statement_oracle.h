// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/fused/statements.h"

namespace exh::kernels::fused::testing {

/// The elements of a tensor.
struct TensorValues {
  /// In double precision; those of narrow types, of integers and bools are what the type holds
  /// (of i64 beyond 2^53 the nearest double).
  std::vector<double> values;
  /// How far each may be off in a correct implementation, as kernels/derived/tolerance.h says: none
  /// where nothing was rounded, and none of integers and bools that come of nothing but them. What
  /// an operation on exact numbers yields is exact where its type holds it: nothing else could come
  /// of it.
  std::vector<double> tolerance;
  double rms_limit = 1;  ///< As kernels/cpu/compare.h has it.
  /// Is it known of each element what must come of it? Not where roundings decide whether it is a
  /// number, nor of an i64 beyond 2^53.
  bool is_known = true;
};

/// What every tensor has in the end, by its index, statement by statement in the original order,
/// with writes in place. `inputs`: values by tensor; those of inputs are there, as their types have
/// them. Of tensors that nothing writes or reads nothing is there.
std::vector<TensorValues> ValuesByStatement(const StatementList& list,
                                            const std::vector<std::vector<double>>& inputs);

}  // namespace exh::kernels::fused::testing
