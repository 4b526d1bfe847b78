// SPDX-License-Identifier: MIT
//
// The process that measures kernels of users on a GPU. It is asked by lines of JSON as programs of
// users are (docs/own.md):
//
//   > {"id":0,"begin":true}
//   < {"id":0,"ready":"NVIDIA H200, driver 13.0"}            or "problem": why it cannot
//   > {"id":1,"cubin":"…","launch":{"grid":[8,1,1], …},"effort":"quick","cap_ns":2100000.0, …}
//   < {"id":1,"verdict":"correct","runtimes_ns":[…],"error_ratio":0.2,"check_ms":3.1}
//
// An answer with "ends" is its last one: the context is broken, or arrays are no longer what they
// were.
#pragma once

#include <string>

namespace exh::kernels::cuda {

/// Reads the set-up at `path` (setup.h), computes the reference, and answers questions on the
/// standard input as long as there are any. Returns the exit code. The hidden sub-command
/// `search serve-cuda FILE`.
int ServeProcessMain(const std::string& path);

}  // namespace exh::kernels::cuda
