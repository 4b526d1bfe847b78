// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/codegen/print/gpu/words.h"

namespace exh::kernels::codegen {

/// What the program needs of the language.
Needs NeedsOf(const LoweredCode& code, const GpuOptions& options);

}  // namespace exh::kernels::codegen
