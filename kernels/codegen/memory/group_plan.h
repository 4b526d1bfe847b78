// SPDX-License-Identifier: MIT
//
// Products of groups of warps (`unit` WGMMA, kernels/spaces/units.exh): which instructions there
// are, and where in shared memory their operands begin.
//
// The four warps of a group have 64 rows of the sums, 16 each, and as many columns as 8 and the
// copies of columns around them make. A step takes a matrix of 64 x 32 bytes and one of 32 bytes x
// columns out of shared memory: it is 16 deep with halves, and 32 with bytes. A *descriptor* says
// where a matrix begins and how it goes on (PTX ISA, "matrix descriptor"), for the memory is no
// plain matrix but a swizzled one (XorLayout):
//
//   rows along the sum   8 rows of 128 (64) bytes are a tile of the swizzle, `stride` bytes further
//                        the next 8 rows begin; steps are 32 bytes apart, within the row
//   rows across          (halves alone) 8 steps of 64 columns each are a tile, `stride` bytes
//   further the next 8
//                        steps begin, `leading` bytes further the next 64 columns
//
// Where it begins no bits of a row are set that would change places, so that the hardware, which
// takes them out of the address, sees the swizzle as it was made.
//
// Steps are asynchronous. What a thread issues between two of its other instructions is a *batch*:
// it stands in the outermost of the unrolled copies around the product. A batch may be under way
// while the next iteration begins (`lag`), where the ring keeps its slot for as long.
//
// Where sums are promoted (ir::IsPromoted()), a batch begins with 0 in registers of its own, and is
// added to the sums behind its wait. It is kPromotedTerms deep at most: unrolled copies around that
// have a batch each. While one group of a block adds, the unit has the steps of the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/memory/affine.h"
#include "kernels/codegen/memory/memory_plan.h"

namespace exh::kernels::codegen {

/// An operand of a group of warps.
struct GroupOperand {
  ir::MemId block;
  ir::InstId load;                            ///< What would read it.
  bool is_across = false;                     ///< Its rows go across the sum.
  std::uint32_t leading = 16, stride = 1024;  ///< Bytes.
  std::uint32_t swizzle = 1;                  ///< 1: of 128 bytes; 2: of 64.
  /// In its slot the element, as it is placed, where the matrix of an instruction begins: …
  Affine first;
  /// … that of group 0 of those along the rows, and so much more for each further group.
  std::int64_t group_step = 0;
};

/// A product.
struct GroupProduct {
  ir::InstId inst;
  bool is_promoted = false;
  int batch = -1;           ///< The node that is a batch.
  std::uint32_t depth = 1;  ///< Terms of each sum in it.
  int group_class = -1;     ///< THREAD: the warps along the rows.
  int copies_class = -1;    ///< UNROLL: copies of 8 columns of one instruction; -1: one.
  std::uint32_t copies = 1;
  GroupOperand operands[2];  ///< The one that moves along rows first.
  std::uint32_t lag = 0;     ///< Batches that may be under way when the next one has been issued.

  std::uint32_t columns() const { return 8 * copies; }
};

struct GroupPlan {
  std::vector<GroupProduct> products;
  std::string error;  ///< Why one of them is none; empty if all are.

  /// That of the instruction; null: no group does it.
  const GroupProduct* Find(ir::InstId inst) const;
  /// That whose batch the node is; null: it is none.
  const GroupProduct* OfBatch(int node) const;
};

GroupPlan PlanGroups(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                     const MemoryPlan& memory);

}  // namespace exh::kernels::codegen
