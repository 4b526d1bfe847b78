// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/devices/package/library_kind.h"
#include "kernels/devices/package/unit.h"

namespace exh::kernels {

/// Tuned libraries of processors. A processor is known by its widest vectors and by how many cores
/// a program may use: logs say no more of it.
const package::LibraryKind& CpuLibraryKind();

/// An implementation as a unit of such a library.
package::Unit CpuUnit(const Task& task, const Source& source, const std::string& name);

}  // namespace exh::kernels
