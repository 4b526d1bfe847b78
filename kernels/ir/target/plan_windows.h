// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/ir/function.h"

namespace exh::kernels::ir {

/// Plans a window for each read of an argument in which axes meet in the same elements: x[i + r]
/// reads most elements of x several times. A window is a box of elements of the argument, and each
/// of its dimensions, a *span*, is that of one or several axes of the read:
///
///   * a dimension of the argument that the read may leave (AccessGuard) is a span;
///   * of the other axes, those whose steps are no longer than all shorter ones reach together are
///     one span: 2 * i and r of x[2 * i + r]. All others are a span each.
///
/// A read has a window when one of its spans has several axes. It has none where two spans share an
/// axis (a diagonal), or where elements are equally far apart along two of them. Adds the
/// instruction that copies the window, marked `planned`. Called by PlanLowering.
void PlanWindows(Function& function);

}  // namespace exh::kernels::ir
