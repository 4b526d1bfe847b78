// SPDX-License-Identifier: MIT
//
// Banks of shared memory: how often the memory is asked for what a warp accesses at once, and how
// rows are laid out so that this is as rarely as can be (the choice `skew`,
// kernels/spaces/memory.exh).
//
// Each of 32 banks yields a word of 4 bytes at a time. What lanes want of it beyond that waits for
// another *wavefront*. An access of 8 bytes takes half-warps one after the other, of 16 bytes
// quarter-warps: so the least is 1, 2 and 4.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/memory/affine.h"

namespace exh::kernels::codegen {

/// The address of a lane that accesses nothing.
inline constexpr std::int64_t kIdleLane = -1;

/// Wavefronts of one access of a warp. `lanes`: where that of each lane begins, in bytes from a
/// multiple of 128, a multiple of `bytes`, which are 1, 2, 4, 8 or 16. Lanes share a word.
std::uint32_t Wavefronts(std::span<const std::int64_t> lanes, std::uint32_t bytes);

/// … and if no lane waited for another one.
std::uint32_t LeastWavefronts(std::span<const std::int64_t> lanes, std::uint32_t bytes);

/// Rows whose pieces change places: the number of a piece is its place, with what the columns of
/// the set bits of the row's number have in them added by exclusive or. Before that rows may be cut
/// (SWIZZLED, kernels/spaces/memory.exh): all first cuts lie one after the other, then all second
/// ones. 4 rows of 4 elements a … d with cuts of 2 are a0 a1, b0 b1, c0 c1, d0 d1, a2 a3, b2 b3 …,
/// and a cut is a row for what changes places.
struct XorLayout {
  std::uint32_t piece_bits = 0;        ///< Of an element's number: those within a piece, …
  std::uint32_t row_bits = 0;          ///< … and within a row, pieces included.
  std::vector<std::uint32_t> columns;  ///< By bit of the row's number: bits of the piece's number.
  std::uint32_t cut = 0;               ///< Elements of a cut; 0: rows are whole.
  std::uint32_t rows = 0, length = 0;  ///< Where they are cut: rows, and elements of each.

  bool empty() const { return columns.empty(); }
  /// Are there several cuts of a row?
  bool is_cut() const { return cut < length; }
  /// Where the element is. (Of rows that are not cut bits of the number are mapped one by one: that
  /// of a ^ b is that of a ^ that of b.)
  std::int64_t Place(std::int64_t element) const;
  friend bool operator==(const XorLayout&, const XorLayout&) = default;
};

/// Accesses of a warp: numbers of elements by lane, or kIdleLane.
struct WarpAccess {
  std::vector<std::int64_t> elements;
  std::uint32_t width = 1;  ///< Elements that each lane takes.
  double weight = 1;        ///< How often there is one like it.
};

/// Of all layouts of rows of `row_elements` in pieces of `piece_elements`, both powers of two, the
/// one in which the accesses take the fewest wavefronts, and of these one that changes least;
/// empty: none is better than rows one after the other. (With more than a dozen bits to choose it
/// is the best that changes of single columns lead to.)
XorLayout FindXorLayout(std::span<const WarpAccess> accesses, std::uint32_t element_bytes,
                        std::uint32_t piece_elements, std::uint32_t row_elements);

/// That of a temporary of so many rows whose skew is SWIZZLED, for elements of so many bytes; empty
/// where rows are no whole cuts.
XorLayout SwizzleOf(Skew skew, std::uint32_t element_bytes, std::uint32_t rows,
                    std::uint32_t row_elements);
/// Bytes that such a temporary begins at a multiple of: the rows that change places alike.
std::uint32_t AlignmentOf(Skew skew);

/// Bytes that are left empty behind each row.
std::uint32_t PaddingOf(Skew skew);

/// Elements that an access to a temporary takes at once.
std::uint32_t WidthOf(const Schedule& schedule, const LoopTree& tree, const Affine& address,
                      const ir::Instruction& inst);

/// The element that a thread accesses, where nothing but threads has moved.
std::int64_t ElementTaken(const LoopTree& tree, const Affine& address, std::uint32_t thread);

/// The layout of a temporary with skew XOR, where its rows are powers of two; otherwise empty.
XorLayout PlanXorLayout(const ir::Function& function, const Schedule& schedule,
                        const LoopTree& tree, const ir::MemBlock& block, const Affine& store,
                        const Affine& load, std::uint32_t row_elements);

}  // namespace exh::kernels::codegen
