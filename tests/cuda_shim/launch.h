// SPDX-License-Identifier: MIT
//
// Runs every block and thread of a kernel on the CPU, the threads of a block as fibers.
//
// An interval is what the threads of a block do between two barriers. They run it one after the
// other, in an order that the caller chooses: a missing barrier may spoil the result in one order
// and not in another. What is an error, and ends the launch:
//   * threads that wait at different barriers, or for threads that have ended;
//   * races: memory.h says what is one;
//   * accesses outside of an array, misaligned ones, and writes to an input.
//
// Includes nothing: it is compiled together with every source that is run.
#pragma once

namespace exh_shim {

/// An array argument of a kernel.
struct ArrayArgument {
  const char* name;
  unsigned long long elements;
  unsigned element_bytes;
  bool is_output;  ///< Outputs may be written, and their writes are counted.
};

/// One thread of the kernel: calls it with these arguments.
using Thread = void (*)(void* const* arrays, const double* scalars, void* global);

/// Everything about one run of a kernel. The pointers are the caller's.
struct Launch {
  unsigned grid, threads;           ///< Blocks, and threads of each; one dimension.
  void* shared;                     ///< Aligned to 16 bytes; all bits set when a block starts.
  unsigned long long shared_bytes;  ///< What the kernel may use of it …
  unsigned long long shared_reach;  ///< … and how many bytes are there.
  unsigned long long global_bytes;  ///< Of each block, in memory of the launch; all bits set first.
  const ArrayArgument* facts;       ///< By array.
  unsigned num_arrays;
  void* const* arrays;            ///< Aligned as the kernel's accesses need.
  const double* scalars;          ///< Handed through.
  unsigned char* const* written;  ///< By array: +1 at every write of an element, up to 255.
  int thread_order;  ///< 0 ascending, 1 descending, else a seed: shuffled anew each time.
  Thread thread;
};

/// Runs it. `error` receives what went wrong first, cut to `capacity` bytes, or an empty text.
/// Several host threads may each run a kernel at a time.
void Run(const Launch& launch, char* error, int capacity);

/// __syncthreads() of the running thread; `line` tells one barrier from another.
void Barrier(int line);

/// __shfl_xor_sync() of 4 or 8 bytes: what the thread has whose index differs in the bits of
/// `lanes`. All threads of the block must call it on the same line, which CUDA asks only of a warp:
/// printed kernels do so everywhere. It is no barrier: what they do before and after it may race.
unsigned long long Shuffle(int line, unsigned mask, unsigned long long bits, int lanes);

/// Where the running thread is, as CUDA says it.
struct Index {
  unsigned x = 0, y = 0, z = 0;
};

}  // namespace exh_shim

extern __thread exh_shim::Index threadIdx, blockIdx;
