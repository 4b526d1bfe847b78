// SPDX-License-Identifier: MIT
//
// Windows that an implementation copies (kernels/spaces/windows.exh): which elements of the
// argument they hold, and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/memory/affine.h"

namespace exh::kernels::codegen {

/// One dimension of a window.
struct WindowSide {
  std::uint64_t length = 1;          ///< Indices that it holds: halo included.
  Affine first;                      ///< The first of them, by the loops around the copy.
  std::int64_t unit = 1;             ///< Elements of the argument from one index to the next.
  std::int64_t extent = 1;           ///< The argument has 0 … extent - 1; the rest is 0.
  bool leaves = false;               ///< Some index may be outside of that.
  std::int64_t least = 0, most = 0;  ///< What indices may be.
};

/// A window in the memory of a block.
struct CopiedWindow {
  ir::WindowId window;
  std::int64_t base = 0;          ///< Element of the argument at index 0 of all sides.
  std::vector<WindowSide> sides;  ///< Outermost first; the last one's indices are neighbours.
  std::uint32_t width = 1;        ///< Elements that are copied at once: a divisor of the last side.

  std::uint64_t elements() const;
};

/// The window of a read, and in `address` the element of it that the read takes. `error`: why the
/// decisions have none.
struct PlannedWindow {
  CopiedWindow window;
  Affine address;
  std::string error;
};

/// Of an axis levels that are in the window follow each other. From element to element of the
/// window, each side counts the indices between the first and the last that points of the window
/// read.
PlannedWindow PlanWindow(const ir::Function& function, const Schedule& schedule,
                         const LoopTree& tree, const ir::Window& window);

/// Is what is beyond the axis 0 in the window anyway, so that the read needs no guard there?
bool IsZeroInWindow(const ir::Function& function, const ir::Window& window, ir::LogicalDimId axis);

}  // namespace exh::kernels::codegen
