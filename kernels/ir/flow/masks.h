// SPDX-License-Identifier: MIT
//
// Masks: values that are -infinity but where comparisons of indices hold, such as the scores of
// attention in which a query sees no later key.
//
//   seen[i, j] = j <= i ? score[i, j] : -inf        i - j >= 0
//
// A maximum takes nothing of what is masked, and a term exp(seen - maximum) is 0 there. So loops
// may leave out what is masked as a whole.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/ir/function.h"

namespace exh::kernels::ir {

/// offset + the sum over axes of step times index, which is 0 or more where something is seen.
struct MaskBound {
  std::int64_t offset = 0;
  std::map<std::string, std::int64_t> steps;  ///< By the name of the axis; none is 0.

  friend auto operator<=>(const MaskBound&, const MaskBound&) = default;
};
/// All of them must hold, in order.
using Mask = std::vector<MaskBound>;

/// Of a choice between a value and -infinity. Nothing: the instruction is none, or its condition is
/// not made of such bounds.
std::optional<Mask> MaskOf(const Function& function, const Instruction& inst);

}  // namespace exh::kernels::ir
