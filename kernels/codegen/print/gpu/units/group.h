// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kernels/ir/types.h"

namespace exh::kernels::codegen {

/// A step of a group of warps, as an instruction: wgmma.mma_async.
struct GroupStep {
  ir::Type element = ir::Type::kBf16;
  std::uint32_t columns = 8;
  bool is_first_across = false, is_second_across = false;  ///< GroupOperand::is_across.
  bool begins = false;  ///< With 0, whatever the registers of the sums hold.
  friend auto operator<=>(const GroupStep&, const GroupStep&) = default;

  /// "exh_group_bf16_256_kn": k where rows of an operand go along the sum, m or n where they go
  /// across; "exh_group_f8e4m3_128_kk_begin".
  std::string Function() const;
};

/// The functions of a text that are these steps, and what stands around them; none: it has none.
std::vector<std::string> GroupFunctions(const std::set<GroupStep>& steps);

}  // namespace exh::kernels::codegen
