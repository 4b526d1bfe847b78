// SPDX-License-Identifier: MIT
#pragma once

namespace exh::kernels::cuda {

/// The main of a process that compiles for CompilePool: says which compiler it has, then reads a
/// CompileRequest and answers a CompileAnswer for each, as long as there are any. Returns the exit
/// code. The hidden sub-command of the search program that CompilePool starts.
int CompileProcessMain();

}  // namespace exh::kernels::cuda
