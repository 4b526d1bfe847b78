// SPDX-License-Identifier: MIT
//
// The yardsticks without any idea: what a person would write down first.
#pragma once

#include <string>

#include "kernels/evaluation.h"
#include "kernels/ir/function.h"

namespace exh::kernels::derived {

/// C++ with the interface of an emitted candidate (kernels/codegen/print/cpu_printer.h): a loop
/// nest over each output, and in it those of the sums. A value that is read at other points than
/// its own is kept in an array, of one step of the loops that both share. Scans run in the
/// innermost loop over an output where they can, and otherwise have such an array, too.
std::string NaiveSource(const ir::Function& function);

/// CUDA C++ with the interface of kernels/codegen/print/gpu/printer.h: one thread for each element
/// of the only output, or for all that lie along a scan, and no shared memory. Empty if there are
/// several outputs, or if a value would be kept in an array: threads would compute all of it again
/// and again. Nor is there any where a scan takes more than 65536 steps.
Source NaiveCuda(const ir::Function& function);

}  // namespace exh::kernels::derived
