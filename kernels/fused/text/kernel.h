// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/fused/graph/graph.h"

namespace exh::kernels::fused {

/// A fused operator as the text of a kernel (docs/kernels.md): tensors keep their names, those
/// between are values, and what is updated in place is an output of its own. Throws Refused with
/// the reason where the notation has no words for it (text/kernel_text.h). `part`: of those that
/// have nothing in common, from 1 on; 0: all of them.
std::string KernelTextOf(const Graph& graph, int part = 0);

}  // namespace exh::kernels::fused
