// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/stop.h"
#include "kernels/fused/statements.h"

namespace exh::kernels::fused {

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

/// Bytes that Evaluate() takes, its inputs among them.
std::uint64_t ReferenceBytes(const StatementList& list);

/// Throws TooLarge when that is more than `most_bytes`. Who draws inputs looks before.
void CheckReferenceBytes(const StatementList& list, std::uint64_t most_bytes);

/// What every tensor has in the end, by its index, statement by statement in the original order.
/// `inputs`: values by tensor; those of inputs are there, as their types have them. Of tensors that
/// nothing writes or reads nothing is there. Throws TooLarge beyond `most_bytes` of memory, and
/// Interrupted when `stop`, which may be null, is stopped meanwhile.
std::vector<TensorValues> Evaluate(const StatementList& list,
                                   const std::vector<std::vector<double>>& inputs,
                                   std::uint64_t most_bytes = std::uint64_t{1} << 32,
                                   const StopToken* stop = nullptr);

}  // namespace exh::kernels::fused
