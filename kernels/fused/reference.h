// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/stop.h"
#include "kernels/fused/statements.h"
#include "kernels/problem_data.h"

namespace exh::kernels::fused {

/// Bytes that Evaluate() takes at most, its inputs among them.
std::uint64_t ReferenceBytes(const StatementList& list);

/// Throws TooLarge when that is more than `most_bytes`. Who draws inputs looks before.
void CheckReferenceBytes(const StatementList& list, std::uint64_t most_bytes);

/// What every result has in the end, by its tensor: reference, tolerance and the rest of
/// kernels/derived/reference. `inputs`: values by tensor; those of inputs are there, as their types
/// have them. Of what is no result nothing is there. Throws TooLarge beyond `most_bytes` of memory,
/// and Interrupted when `stop`, which may be null, is stopped meanwhile.
std::vector<ArrayData> Evaluate(const StatementList& list,
                                const std::vector<std::vector<double>>& inputs,
                                std::uint64_t most_bytes = std::uint64_t{1} << 32,
                                const StopToken* stop = nullptr);

/// Numbers as an array of the type has them.
ir::Elements ElementsOf(ir::Type type, const std::vector<double>& values);

}  // namespace exh::kernels::fused
