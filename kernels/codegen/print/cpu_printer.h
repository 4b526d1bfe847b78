// SPDX-License-Identifier: MIT
//
// Prints an implementation as C++ for the cpu device.
//
// The text defines
//   extern "C" void exh_run(void* const* arrays, const double* scalars, int threads);
// with arrays and scalars in the order of the Function; `threads` host threads share the blocks.
// arrays[i] points to elements of the array's type, narrow floats as their bits, bool as bytes.
// scalars[i] is a number, which is rounded to its type by the text, or the bits of an i64
// (ir::Number::Cell()). Printed `checked`, it also defines
//   extern "C" void exh_run_checked(void* const* arrays, const double* scalars, int threads,
//                                   unsigned char* const* written);
// which adds 1 to written[array][element] at every store to an output, and fills temporaries with
// NaN, or integers that stand out, first, so that an element written twice or never, or read before
// it was written, shows. Vectors are GCC's vector extension; the text includes no header and
// compiles in a moment.
#pragma once

#include <string>

#include "kernels/codegen/plan/lowered_code.h"

namespace exh::kernels::codegen {

struct PrinterOptions {
  bool checked = false;        ///< Also print exh_run_checked.
  Fault fault = Fault::kNone;  ///< Tests only.
};

/// The source of an implementation, its decisions as comments on top. The schedule must be one
/// that the space allows: a schedule that LowerSchedule refuses is a defect of ours and aborts.
std::string PrintCpu(const ir::Function& function, const Schedule& schedule,
                     const PrinterOptions& options = {});

/// The same for code that was lowered already; `code.error` is empty.
std::string PrintCpu(const LoweredCode& code, const PrinterOptions& options = {});

}  // namespace exh::kernels::codegen
