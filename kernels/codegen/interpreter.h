// SPDX-License-Identifier: MIT
//
// Runs an implementation without any compiler: the semantics of the printers, for fast tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/codegen/plan/lowered_code.h"

namespace exh::kernels::codegen {

/// Arrays and scalars of a run, in the order of the Function.
struct InterpreterData {
  std::vector<std::vector<double>> arrays;
  std::vector<double> scalars;
};

struct InterpreterResult {
  /// Stores to each element of each array; counts stop at 255. Where blocks add to an output, its
  /// elements are written once, by the fill before.
  std::vector<std::vector<std::uint8_t>> written;
  std::string error;  ///< An access out of bounds; empty if none.
};

/// Runs `code` on `data`, block after block, thread after thread. What lanes of warps share is
/// loops here: it knows nothing of who has what of a fragment. Numbers are doubles; they are
/// rounded where they become integers, bools or narrow floats, f32 and f64 are not. Registers and
/// temporaries hold NaN when a block starts, so that a value read before it was written spoils the
/// result, that of integers, too. Threads of axes that a Threads node does not use repeat its work,
/// as on the devices. `order`: a seed that the order of the blocks is drawn from; 0: ascending.
InterpreterResult Interpret(const LoweredCode& code, InterpreterData& data, unsigned order = 0);

}  // namespace exh::kernels::codegen
