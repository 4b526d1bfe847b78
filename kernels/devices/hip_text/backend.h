// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/devices/backend.h"

namespace exh::kernels::hip {

/// Prints HIP C++ for AMD's GPUs, and compiles and runs nothing: its spaces are counted and
/// bounded, and its source is read, or taken to where `hipcc` is.
const Backend& GetBackend();

}  // namespace exh::kernels::hip
