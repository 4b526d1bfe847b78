// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/problem.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {

/// Prints every schedule of the sample with checks, compiles the text with the system's compiler,
/// runs it on the kernel's own inputs and compares every element with the double-precision
/// reference and its tolerance, and that it was written exactly once. One message per schedule,
/// empty where all is well.
std::vector<std::string> RunPrinted(const Sample& sample,
                                    codegen::Fault fault = codegen::Fault::kNone,
                                    const std::vector<Inputs>& kinds = {Inputs::kUniform});

}  // namespace exh::kernels::testing
