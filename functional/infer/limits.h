// SPDX-License-Identifier: MIT
//
// What limits of the device ask of a program.
//
//   threads   mapLcl(d, …) of a kernel takes as many threads in dimension d as its array is long;
//             each dimension, and their product, is a work group at most
//   buffer    bytes of what one map, or a kernel, writes to global memory
//   private   bytes of an array in private memory
//   local     bytes of all that a kernel writes to local memory
//
// A limit of 0 is none.
#pragma once

#include "dsl/diagnostics/diagnostic.h"
#include "functional/meaning/program.h"

namespace exh::functional {

/// Adds the requirements of the limits. False: one of them can never be kept, which is in `sink`.
bool AddLimits(Program& program, dsl::DiagnosticSink& sink);

}  // namespace exh::functional
