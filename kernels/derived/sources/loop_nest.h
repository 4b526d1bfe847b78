// SPDX-License-Identifier: MIT
//
// LoopNest: the straightforward program for an expression. Printers walk it: what is computed in
// which loop, in which order, and which values need a place of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/derived/expression.h"

namespace exh::kernels::derived {

struct LoopNest {
  struct Item {
    enum class Kind : std::uint8_t {
      kLoop,        ///< The block `what`, once for each iteration of its axis.
      kBegin,       ///< The sum of reduction or scan `what` begins with its initial value.
      kAccumulate,  ///< One more point of reduction or scan `what`.
      kName,        ///< The value of node `what` is read several times from here: it has a name.
      kKeep,        ///< The value of node `what` goes to its array.
      kStore,       ///< The output `what`.
    };
    Kind kind;
    int what;  ///< A block or a node.
  };
  /// The body of a loop; block 0 is that of the program.
  struct Block {
    int parent = -1;
    int axis = -1;  ///< That of the loop.
    /// Loop over an axis of an output: around it, and in it up to the next one, stands what does
    /// not change meanwhile.
    bool is_of_output = false;
    bool has_scans =
        false;  ///< … in which scans run: each of its iterations goes on from the last.
    std::vector<Item> items;
  };
  /// Where the value of a node is.
  struct Place {
    enum class Kind : std::uint8_t {
      kInline,  ///< Where it is read.
      kSum,     ///< In a variable: a reduction, complete behind its loops, or a scan that runs.
      kArray,   ///< In an array with an element for each point of `axes`.
    };
    Kind kind = Kind::kInline;
    std::vector<int> axes;
  };

  std::vector<Block> blocks;
  std::vector<Place> places;  ///< By node.

  const Block& block(int index) const { return blocks[static_cast<std::size_t>(index)]; }
  const Place& place(int node) const { return places[static_cast<std::size_t>(node)]; }
  /// Has the value of a node a name in the block, by a kName of it or of one around it?
  bool IsNamed(int node, int in_block) const;
  bool HasArrays() const;
};

/// Loops over the axes of outputs are in the order of their stores, but those last that scans go
/// along; outputs over the same axes share their loops. `scans_run`: where the innermost of these
/// loops is over the axis of a scan, and the others are over all its other axes, it runs there, and
/// its value has a variable; otherwise it has an array.
LoopNest LoopNestOf(const Expression& expression, bool scans_run);

}  // namespace exh::kernels::derived
