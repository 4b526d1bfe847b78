// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/codegen/interpreter.h"

namespace exh::kernels::codegen::testing {

/// Small integers in the inputs (exact in float, so a wrong index cannot hide), NaN in outputs.
/// What products are made of is -1, 1 or 2: they are exact, and none is 0.
InterpreterData MakeData(const ir::Function& function, unsigned seed);

/// Runs the backbone without any schedule, instruction by instruction over its own dims.
/// Knows axpy, matmul and rows.
InterpreterData Reference(const ir::Function& function, const InterpreterData& inputs);

/// Empty, or the first difference between outputs, or the first element of an output that was not
/// written exactly once.
std::string Compare(const ir::Function& function, const InterpreterData& got,
                    const InterpreterData& expected,
                    const std::vector<std::vector<std::uint8_t>>& written);

/// Lowers, interprets and compares: empty if all is well. `order`: of the blocks (Interpret()).
std::string CheckByInterpreter(const ir::Function& function, const Schedule& schedule,
                               Fault fault = Fault::kNone, unsigned order = 0);

/// Prints, compiles with g++, loads, runs on `threads` host threads and compares.
std::string CheckByCompiler(const ir::Function& function, const Schedule& schedule,
                            Fault fault = Fault::kNone, int threads = 2);

}  // namespace exh::kernels::codegen::testing
