// SPDX-License-Identifier: MIT
//
// A functional program as CUDA C++: each map runs as its code says (docs/lift.md).
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "functional/code/work.h"
#include "functional/meaning/program.h"

namespace exh::functional {

/// How the maps of a kernel run: a code for each, in the order of MapsOf(kernel). -1 counts as 0.
using Codes = std::vector<int>;

/// What a device has for a program.
struct ProgramLimits {
  std::int64_t threads = 1024;                        ///< Of a group.
  std::int64_t local_bytes = 48 << 10;                ///< Of a group.
  std::int64_t private_floats = 4096;                 ///< Of an array of one thread.
  std::int64_t global_bytes = std::int64_t{4} << 30;  ///< Of all arrays between kernels.
  std::int64_t groups = 0x7fffffff;
};

/// A kernel of the text; they run one after the other.
struct GpuLaunch {
  std::string kernel;
  std::int64_t groups = 1, threads = 1;
  std::int64_t local_bytes = 0;  ///< Dynamic shared memory.
  GpuWork work;
};

/// An array that every kernel of the text takes, in this order: inputs ascending by name, then the
/// results of the program's kernels.
struct GpuArray {
  std::string name;  ///< In the program.
  bool is_result = false;
  std::int64_t elements = 1;
};

/// Functions that a text calls: exh_min and exh_max, the smaller and the larger of two floats, a
/// NaN where one of both is.
struct GpuCalls {
  bool min = false, max = false;
};

struct GpuProgram {
  /// Whoever has it compiled puts the functions of `calls` before it.
  std::string text;
  GpuCalls calls;
  std::vector<GpuArray> arrays;
  std::vector<GpuLaunch> launches;
  /// Of `exh_global`, a last parameter that all kernels have when this is not 0.
  std::int64_t global_bytes = 0;
};

/// Why a program cannot be run so, in a sentence without a full stop.
struct Unlowerable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `codes`: by kernel. Every value of a term must be known by `parameters`, and all requirements
/// kept. The last kernel of the text is called `main_name`. Throws Unlowerable.
GpuProgram Lower(const Program& program, const Assignment& parameters,
                 const std::vector<Codes>& codes, const ProgramLimits& limits,
                 const std::string& main_name = "exh_kernel");

/// Of each map of a kernel whether it can have code 2, vectors, as far as lengths and the order of
/// elements are concerned. Nothing: the kernel cannot be run at all with these parameters, or
/// lengths are not known by them.
std::optional<std::vector<bool>> VectorMaps(const Program& program, const ProgramKernel& kernel,
                                            const Assignment& parameters);

/// The codes that the program itself gives to its maps; -1 where it leaves them open.
std::vector<Codes> CodesOf(const Program& program);

}  // namespace exh::functional
