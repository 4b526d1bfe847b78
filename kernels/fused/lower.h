// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/fused/graph/graph.h"
#include "kernels/fused/statements.h"

namespace exh::kernels::fused {

/// What every operation computes, a statement for each. Tensors have their index in the graph;
/// those that only stand for another one (the output of an Assign, a fake output) are read as that
/// one, and no statement writes them.
StatementList StatementsOf(const Graph& graph);

}  // namespace exh::kernels::fused
