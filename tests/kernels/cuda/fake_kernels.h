// SPDX-License-Identifier: MIT
//
// What the fake driver takes for machine code: a text, one line per kernel.
//
//   fake cubin
//   kernel exh_kernel axpy n=1000 us=12 fault=wrong at=17 after=3
//
// After its name stands what a kernel computes, `axpy` (z = alpha x + y, floats), `copy` (y = x,
// n bytes), `add` (y += x, floats), one of three that compute the same together, or one of the
// device programs (`check` of elements of `type`, `guard`, `hash`, `clock`, `deadline`), or
// `spans`: what n warps of a probe saw of the clock, 0 and 4096; or `nothing`. `us` is how long
// it takes, `block_us` how much longer for each block, `early` how much of that passes before
// the kernel before has ended, where it is launched so. With `dims` it is launched with these
// numbers or not at all: 8,1,1,64,2,1,512,2,1,1 is a grid of 8 blocks of 64 x 2 threads with 512
// bytes, in clusters of 2. `registers` is how many a thread has. With `plain` alpha is 1 and no
// argument. With `variable`, a name and bytes (`filter:16`), the module has such a variable,
// whose first float is added to the alpha of an axpy. Of an axpy that belongs to a `grid` fewer
// blocks compute as much less. `scratch` is the number of floats that a block writes to its
// temporary in main memory. With `map_at` it does nothing unless the argument of that number is a
// tensor map of its first array. The three are `fill` (z = 0); `part`, which leaves alpha x + y in
// the workspace, behind `tickets` words of which all must be 0, and does nothing otherwise; and
// `finish`, which adds that to z and leaves NaN in its place. In another order, or one of them
// alone, they compute something else. Then what is wrong with it, from the launch behind number
// `after` on, or with `every` in each launch whose number, from 0, is a multiple of it:
//
//   wrong            adds one to element `at` of the output; elements of a copy are bytes
//   nan              writes nothing
//   stale            writes what it computed last, whatever the inputs
//   rounds           element `at`, where it is no whole number, is a little larger
//   late             takes half as long again
//   ticket           leaves a ticket that is not 0
//   writes           writes element `at` of the array `of`, wherever that is
//   lost             the GPU is gone: CUDA_ERROR_UNKNOWN, now and for ever
//   hang             never ends
//   stuck            the driver's call does not return
//   crash            the driver aborts the process
//   exit             the driver ends the process with code 3
//   chatter          the driver prints a line to the standard output
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/devices/cuda/driver/driver.h"
#include "kernels/ir/types.h"
#include "tests/kernels/cuda/fake_gpu.h"

namespace exh::kernels::cuda {

struct CudaFunction {
  std::string what, fault;
  ir::Type type = ir::Type::kF32;
  std::string dims;  ///< What it must be launched with; empty: anything.
  char of = 'z';
  std::int64_t at = 0;
  std::uint64_t n = 0, ns = 1000, block_ns = 0, early_ns = 0, grid = 0, after = 0, every = 0,
                scratch = 0, tickets = 0, registers = 32, map_at = 0;
  std::uint64_t shared_bytes = 48 << 10;  ///< That a block may have.
  bool has_large_clusters = false;        ///< Of more blocks than every GPU has.
  std::uint64_t started = 0;              ///< Launches so far.
  bool is_faulty = false;                 ///< The one that is under way.
  bool is_plain = false;                  ///< There is no alpha.
  std::vector<float> kept;                ///< The last right result.
  std::string variable;                   ///< Its name; empty: there is none.
  std::uint64_t variable_bytes = 0;
  CUdeviceptr variable_data = 0;  ///< 0: nobody asked for it, and nobody filled it.

  /// Does the launch that is under way do this wrong?
  bool Has(const char* wrong) const { return is_faulty && fault == wrong; }
};

struct CudaModule {
  std::map<std::string, CudaFunction, std::less<>> functions;
};

namespace fake {

/// Nothing when it is no module.
std::optional<CudaModule> ParseModule(std::string_view text);

/// One launch. The arguments are copied now, as a driver does; the function outlives the work.
/// `is_early`: it may begin before the kernel before it has ended.
Work Launch(CudaFunction& function, std::uint64_t blocks, void** arguments, bool is_early);

}  // namespace fake
}  // namespace exh::kernels::cuda
