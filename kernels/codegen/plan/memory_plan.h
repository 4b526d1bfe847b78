// SPDX-License-Identifier: MIT
//
// Where memory accesses go: layouts and sizes of temporary arrays, addresses of all accesses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/plan/affine.h"
#include "kernels/codegen/plan/bank_plan.h"

namespace exh::kernels::codegen {

/// What arrays in the memory of a block, or of all, begin at a multiple of: the bytes of the widest
/// access.
inline constexpr std::uint64_t kAlignedBytes = 16;
constexpr std::uint64_t Aligned(std::uint64_t bytes) {
  return (bytes + kAlignedBytes - 1) / kAlignedBytes * kAlignedBytes;
}

/// A temporary array that the implementation uses.
struct TempArray {
  ir::MemId block;
  MemSpace space = MemSpace::SHARED;
  std::uint64_t elements = 1;  ///< Of one block of threads (of one host thread, on the cpu).
  /// Where threads really share banks, an element is at `layout.Place` of what MemoryPlan::address
  /// says; elsewhere at the address itself.
  XorLayout layout;
};

/// Unless 0 <= index < extent, a load reads nothing and is 0, a store writes nothing, and a step of
/// a reduction is not taken.
struct GuardIndex {
  Affine index;
  std::int64_t extent = 1;
  bool is_cover = false;  ///< The index is that of a covered axis, from 0 on (covered_axes.h).
};

struct MemoryPlan {
  std::vector<TempArray> temps;  ///< Active ones, by number.
  /// By instruction, in elements; of a kIndex its value; empty for arithmetic.
  std::vector<Affine> address;
  /// By instruction: those guards that do not hold everywhere. Empty where there are none.
  std::vector<std::vector<GuardIndex>> guards;
  std::uint64_t shared_bytes = 0;  ///< All SHARED arrays of a block.
  std::uint64_t global_bytes = 0;  ///< All GLOBAL arrays of a block.
  std::string error;               ///< Why the accesses are not possible; empty if they are.

  /// That of the temporary; it must be active.
  const TempArray& temp(ir::MemId block) const;
};

/// Element offset of a temporary: sum over stored axes (rank >= 1) of index * product of the sizes
/// of the axes of lower rank, and what is left empty behind rows. Of an array argument: sum over
/// the access axes of the mixed-radix index of the axis * its stride.
MemoryPlan PlanMemory(const ir::Function& function, const Schedule& schedule, const LoopTree& tree);

}  // namespace exh::kernels::codegen
