// SPDX-License-Identifier: MIT
//
// Where memory accesses go: layouts and sizes of temporary arrays, addresses of all accesses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/memory/affine.h"
#include "kernels/codegen/memory/bank_plan.h"
#include "kernels/codegen/memory/window_plan.h"

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
  /// Of one block of threads (of one host thread, on the cpu); of one slot, where there are
  /// several.
  std::uint64_t elements = 1;
  std::uint32_t slots = 1;                  ///< ring_plan.h.
  std::uint64_t alignment = kAlignedBytes;  ///< Of each slot; in bytes, which divide those of one.
  /// Where threads really share banks, an element of a slot is at `layout.Place` of what
  /// MemoryPlan::address says; elsewhere at the address itself.
  XorLayout layout;
};

/// From one slot of a temporary to the next, in elements: each is aligned.
std::uint64_t SlotStride(const ir::Function& function, const TempArray& temp);

/// Unless 0 <= index < extent, a load reads nothing and is 0, a store writes nothing, and a step of
/// a reduction is not taken.
struct GuardIndex {
  Affine index;
  std::int64_t extent = 1;
  bool is_cover = false;  ///< The index is that of a covered axis, from 0 on (covered_axes.h).
};

/// Are layouts of rows with skew XOR looked for? That takes up to some milliseconds.
enum class BankSearch : std::uint8_t {
  kFull,
  kNone,  ///< All are empty: for counts, which need no text.
};

struct MemoryPlan {
  /// Active ones, as they lie in memory: by alignment, the largest first, and by number.
  std::vector<TempArray> temps;
  std::vector<CopiedWindow> windows;  ///< Those that are copied, by number.
  /// By instruction, in elements; of a kIndex its value; of a kGather without its operand; empty
  /// for arithmetic.
  std::vector<Affine> address;
  /// By instruction: those guards that do not hold everywhere. Empty where there are none.
  std::vector<std::vector<GuardIndex>> guards;
  std::uint64_t shared_bytes = 0;  ///< All SHARED arrays of a block.
  std::uint64_t global_bytes = 0;  ///< All GLOBAL arrays of a block.
  BankSearch search = BankSearch::kFull;
  std::string error;  ///< Why the accesses are not possible; empty if they are.

  /// That of the temporary; it must be active.
  const TempArray& temp(ir::MemId block) const;
  /// The window that a read takes its elements from; null: it reads the argument. Also of the
  /// instruction that copies it.
  const CopiedWindow* window(const ir::Instruction& inst) const;
};

/// Are some elements of an access to an argument inside, and others not, when it takes `lanes` of
/// them along the class?
bool IsSplit(const MemoryPlan& plan, ir::InstId inst, int dim_class, std::uint32_t lanes);

/// Element offset of a temporary, in its slot: sum over stored axes (rank >= 1) of index * product
/// of the sizes of the axes of lower rank, and what is left empty behind rows. Of an array
/// argument: sum over the access axes of the mixed-radix index of the axis * its stride.
MemoryPlan PlanMemory(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                      BankSearch search = BankSearch::kFull);

}  // namespace exh::kernels::codegen
