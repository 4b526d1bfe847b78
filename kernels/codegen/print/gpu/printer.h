// SPDX-License-Identifier: MIT
//
// Prints an implementation as CUDA C++ that needs no header:
//
//   extern "C" __global__ void __launch_bounds__(256, 1)
//   exh_kernel(const float* __restrict__ arg_a, …, float s_alpha, …,
//              unsigned char* exh_global)
//
// Arrays, of their elements (halves as their bits), then scalars, in what they are computed in, in
// the order of the Function; `exh_global` only where temporaries live in main memory:
// Launch::global_bytes for each block. Blocks and threads are linear; each index is recovered from
// them by division with literals. SHARED temporaries are slices of the dynamic shared memory. All
// temporaries are aligned to 16 bytes.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/ir/fragments.h"
#include "kernels/ir/text/type_text.h"
#include "kernels/launch.h"

namespace exh::kernels::codegen {

struct GpuText {
  std::string source;
  Launch launch;
};

struct GpuOptions {
  ir::Dialect dialect = ir::Dialect::kCuda;  ///< … kHip or kOpenCl.
  bool shuffles = true;  ///< Slices are combined by shuffles; if not, through shared memory alone.
  /// A kernel that gives up: its last parameter is `const unsigned long long* exh_deadline`, a time
  /// of %globaltimer, and its long loops return when that is past. For a first look at kernels that
  /// may run for ever; what is timed is printed without.
  bool gives_up = false;
  /// Launches of a program may overlap (Launch::overlaps): its kernels have the instructions for
  /// that, which are those of compute capability 9.0.
  bool overlaps = false;
  /// Of the device: as many blocks go through the tiles of PERSISTENT.
  std::uint32_t multiprocessors = 1;
};

/// The source of an implementation, its decisions as comments on top. `code.error` is empty. Throws
/// Refused where the dialect has no word for what it does.
GpuText PrintGpu(const LoweredCode& code, const GpuOptions& options = {});

/// The functions of a text that are steps of these matrix units, of operands of such elements, and
/// what they need; `exh_begin`, for what the sums of a unit of doubles begin with, takes values of
/// these types.
std::vector<std::string> UnitFunctions(const std::set<std::pair<ir::MatrixUnit, ir::Type>>& units,
                                       const std::set<ir::Type>& begins);
/// The function that reads so many matrices, as they are or turned.
std::string MatrixFunction(std::uint32_t count, bool is_turned);
/// The function for powers of two.
std::string PowerFunction();
/// The function that makes two halves of the type, one register of a unit.
std::string PairFunction(ir::Type type);

}  // namespace exh::kernels::codegen
