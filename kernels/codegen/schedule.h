// SPDX-License-Identifier: MIT
//
// Schedule: the decisions of one implementation, by object, as plain data. It is the only thing
// code generation reads beside the backbone: a fully constrained candidate fills it
// (kernels/space_over.h), and tests fill it by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ir/function.h"

namespace exh::kernels::codegen {

/// The value names are those of kernels/spaces/*.exh.
enum class DimKind : std::uint8_t { LOOP, UNROLL, VECTOR, THREAD, BLOCK };
/// order(a, b): a is BEFORE b, AFTER b, INNER b (inside b), OUTER b (around b), MERGED with b.
enum class Order : std::uint8_t { BEFORE, AFTER, INNER, OUTER, MERGED };
/// How one pair of a communication is implemented.
enum class DimMapping : std::uint8_t { MERGE_MAP, UNROLL_MAP, THREAD_MAP, NOT_MAPPED };
/// thread_mapping(a, b): same hardware axis; a's axis is outside (MAPPED_OUT) or inside b's; the
/// two belong to layouts that divide the linear thread index each in its own way (OTHER_LAYOUT).
enum class ThreadMapping : std::uint8_t {
  NOT_THREADS,
  MAPPED,
  MAPPED_OUT,
  MAPPED_IN,
  OTHER_LAYOUT
};
enum class MemSpace : std::uint8_t { GLOBAL, SHARED };
/// When a read begins: in the iteration that needs its value, or in the one before.
enum class Advance : std::uint8_t { ON_TIME, ONE_AHEAD };

/// How the two sides of a communication divide their axes into tiles.
enum class Tiles : std::uint8_t { SAME_TILES, OWN_TILES };

struct Schedule {
  /// Per object: does it take part? Planned objects of communications that are not lowered do not.
  std::vector<bool> dim_active, inst_active, comm_lowered, block_active;
  std::vector<std::uint32_t> size;  ///< By dim.
  std::vector<DimKind> kind;        ///< By dim.
  std::vector<DimMapping> mapping;  ///< By pair.
  std::vector<MemSpace> mem_space;  ///< By block.
  /// By axis: 0 = the axis is not stored (its two dims are merged), 1 = innermost, 2 = next …
  std::vector<std::uint32_t> rank;
  std::vector<Tiles> tiles;        ///< By communication.
  std::vector<std::uint32_t> pad;  ///< By block: elements left empty after each row.
  std::vector<std::uint32_t> vec;  ///< By instruction: elements that an access takes at once.
  std::vector<Advance> advance;    ///< By instruction.
  std::vector<std::string> cache;  ///< By instruction; value name of `cache`, empty if none.
  /// By statement pair: statements are numbered dims first, then instructions.
  std::vector<Order> order;
  std::vector<ThreadMapping> thread_mapping;  ///< By dim pair.

  std::size_t num_dims = 0, num_insts = 0;
  std::size_t stmt(ir::StmtId id) const { return id.is_inst ? num_dims + id.value : id.value; }
  Order order_of(ir::StmtId a, ir::StmtId b) const {
    return order[stmt(a) * (num_dims + num_insts) + stmt(b)];
  }
  ThreadMapping thread_mapping_of(ir::DimId a, ir::DimId b) const {
    return thread_mapping[a.index() * num_dims + b.index()];
  }
  /// Decisions in words, one a line, for the header of the emitted source.
  std::vector<std::string> decisions;
};

}  // namespace exh::kernels::codegen
