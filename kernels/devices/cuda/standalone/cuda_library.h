// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/devices/package/library_kind.h"
#include "kernels/devices/package/unit.h"

namespace exh::kernels {

/// Tuned libraries of GPUs. A GPU is known by its name and its compute capability.
const package::LibraryKind& CudaLibraryKind();

/// An implementation as a unit of such a library. `conditions`: of its run, which begin with the
/// name of the GPU.
package::Unit CudaUnit(const Task& task, const Source& source, const std::string& conditions,
                       const std::string& name);

}  // namespace exh::kernels
