// SPDX-License-Identifier: MIT
//
// TilePrinter: points whose accesses have their neighbours along two different loops, as a
// transpose has them, through shared memory.
//
// A block takes a tile of both loops, `along` and `across`. Threads of a warp are neighbours along
// `along`, and so are most accesses. Those that are neighbours along `across` are staged:
//
//   1. What is read comes into shared memory by warps that are neighbours along `across`.
//   2. The points are computed; what is staged is read and written in shared memory.
//   3. What is written goes to its array as in 1.
//
// Rows of a tile are one element longer than it is, so that columns are in different banks.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/fused/code/gpu/team_printer.h"
#include "kernels/loops/patches.h"

namespace exh::kernels::fused {

/// Two loops whose tiles a block takes. Null: none.
struct TilePair {
  const NestNode* along = nullptr;
  const NestNode* across = nullptr;
};

class TilePrinter : public TeamPrinter {
 public:
  static constexpr std::int64_t kTile = loops::kStagedTile;  ///< Iterations of each loop.

  using TeamPrinter::TeamPrinter;

 protected:
  static constexpr std::int64_t kTileThreads = 256;

  /// The two loops among parallel ones around `body`, if they have tiles of kTile and something is
  /// to be staged.
  TilePair PairIn(const std::vector<const NestNode*>& parallel, const NestNode& body) const;
  std::uint64_t StagedBytes(const TilePair& pair, const NestNode& body) const;
  /// The points of a tile; all other variables are printed.
  void PrintTile(const TilePair& pair, const NestNode& body);

 private:
  /// Opens loops over the points of a tile, warps along `fast`, and what is in the arrays.
  void OpenPoints(const NestNode& fast, const NestNode& slow);
  void ClosePoints();
};

}  // namespace exh::kernels::fused
