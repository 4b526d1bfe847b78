// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/devices/backend.h"

namespace exh::kernels::gpu_text {

/// Backends that print, and compile and run nothing: their spaces are counted and bounded, and
/// their sources are read, or taken to where a compiler is. HIP C++ for AMD's GPUs, …
const Backend& HipBackend();
/// … and OpenCL C for whatever has a driver for it.
const Backend& OpenClBackend();

}  // namespace exh::kernels::gpu_text
