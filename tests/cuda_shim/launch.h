// SPDX-License-Identifier: MIT
//
// Runs every block and thread of the kernels of a program on the CPU, one kernel and one block
// after the other, the threads of a block as fibers.
//
// An interval is what the threads of a block do between two barriers. They run it one after the
// other, in an order that the caller chooses: a missing barrier may spoil the result in one order
// and not in another. The blocks take the same order. What is an error, and ends the program:
//   * threads that wait at different barriers, or for threads that have ended; threads that wait
//     for each other in any other way, and none of them can go on;
//   * races: memory.h says what is one, also of asynchronous copies that nobody has waited for;
//   * accesses outside of an array, misaligned ones, and writes to an input;
//   * what a kernel that may have begun early does with what an earlier one uses, before the thread
//     has waited; and its blocks that end before any of their threads has;
//   * tickets that are not 0 at the end;
//   * a thread that waits for what no block says that has begun before its own.
// A program whose blocks wait for each other so is run twice: it must leave what its next launch
// needs.
//
// The blocks of a cluster run in turn: each until its threads wait for others of the cluster, at a
// barrier of it, or for a phase that others must end.
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

/// One thread of a kernel: calls it with these arguments.
using Thread = void (*)(void* const* arrays, const double* scalars, void* global);

/// One kernel of a program.
struct Kernel {
  const char* name;
  unsigned grid, threads;           ///< Blocks, and threads of each; one dimension.
  unsigned cluster;                 ///< Blocks of a cluster, neighbours; it divides the grid.
  unsigned long long shared_bytes;  ///< What it may use of the shared memory.
  Thread thread;
};

/// Everything about one run of a program. The pointers are the caller's.
struct Program {
  const Kernel* kernels;  ///< In this order; all is ordered that happens in different ones.
  unsigned num_kernels;
  bool overlaps;  ///< Those behind the first may begin before those before them have ended.
  /// Threads of a block may order each other by barriers in shared memory or by meetings.
  bool is_ordered;
  void* shared;                     ///< Aligned to 16 bytes; all bits are set when a block starts.
  unsigned long long shared_reach;  ///< How many bytes are there.
  /// Of `exh_global`, which is memory of the run: all, those at its beginning that blocks share,
  /// and of these the tickets, at the beginning, too. Tickets are 0 first, and of the rest all bits
  /// are set: of what blocks do not share, before each kernel.
  unsigned long long scratch_bytes, workspace_bytes, ticket_bytes;
  const ArrayArgument* facts;  ///< By array.
  unsigned num_arrays;
  void* const* arrays;    ///< Aligned as the kernels' accesses need.
  const double* scalars;  ///< Handed through.
  /// By array: +1 at every store of an element, up to 255. Atomic operations count nothing.
  unsigned char* const* written;
  /// 0 ascending, 1 descending, else a seed: shuffled anew each time. Asynchronous copies, bulk
  /// copies too, arrive when they are waited for, at once, or as the seed has it.
  int thread_order;
};

/// Runs it. `error` receives what went wrong first, cut to `capacity` bytes, or an empty text.
/// Several host threads may each run a program at a time.
void Run(const Program& program, char* error, int capacity);

/// __syncthreads() of the running thread; `line` tells one barrier from another.
void Barrier(int line);

/// __syncthreads_or(): the same, and whether any thread of the block had another value than 0.
int BarrierOr(int line, int value);

/// barrier.cluster.arrive and .wait of the running thread: it waits until all threads of its
/// cluster have arrived as often, or have ended. What they did before they arrived is ordered
/// before what they do after.
void ClusterArrive();
void ClusterWait(int line);

/// __threadfence() of the running thread.
void Fence();

/// The running thread waits until the kernels before have ended.
void AwaitPrevious();

/// __shfl_xor_sync() of 4 or 8 bytes: what the thread has whose index differs in the bits of
/// `lanes`. All threads of its warp must call it on the same line. It is no barrier: what they do
/// before and after it may race.
unsigned long long Shuffle(int line, unsigned mask, unsigned long long bits, int lanes);

/// What another lane of the warp has, and a bit for each lane: all 32 threads of the warp must call
/// it on the same line, others need not. It is no barrier.
unsigned long long Swap(int line, unsigned long long bits, int lanes);
unsigned Ballot(int line, bool is_set);

/// __syncwarp(): all 32 threads of the warp must call it on the same line. What they did before is
/// before what they do after, where threads order each other (bulk/thread_order.h).
void SyncWarp(int line);

/// All asynchronous copies that the running thread began since the last time become a group.
void CommitCopies();

/// The running thread waits for all of its groups but the latest ones.
void AwaitCopies(int groups_left);

/// How registers of a tile are ordered: as those of doubles, of halves, or of bytes, which may be
/// floats of 8 bits.
enum class Tiles { kDoubles, kHalves, kBytes };
/// mma.sync.aligned.m16n8k16: what the running thread has of 16 x 16 elements, of 16 x 8 elements
/// and of 16 x 8 sums, to which the product is added; of bytes m16n8k32, and elements are twice as
/// many. All 32 threads of its warp must call it on the same line, others need not. It is no
/// barrier.
void Multiply(int line, Tiles tiles, double* sums, const double* a, const double* b);

/// ldmatrix.sync.aligned.m8n8.trans of halves: lane l hands in row l % 8 of matrix l / 8, as far as
/// there are so many, and gets elements l / 4 of rows 2 (l % 4), in the lower half of a word, and
/// 2 (l % 4) + 1 of each. All 32 threads of its warp must call it on the same line.
void Transpose(int line, const unsigned short (&row)[8], unsigned matrices, unsigned* words);

/// The same without .trans: it gets the elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4 of each.
void TakeRows(int line, const unsigned short (&row)[8], unsigned matrices, unsigned* words);

/// What groups of warps multiply.
enum class Factor { kF16, kBf16, kI8, kF8e4m3, kF8e5m2 };

/// wgmma.mma_async.m64nNk16 of halves, or k32 of bytes, both operands in shared memory. Descriptors
/// are those of the PTX ISA; whether rows of halves go across the sum says the instruction
/// ("transposed"). `sums`: what the
/// running thread has of 64 x N, N / 2 registers. They are there when it has waited for the batch.
/// All 128 threads of its group must call it alike, after they have begun a batch.
struct StepInPlace {
  int line;
  Factor factor;
  bool begins;  ///< Sums with 0, whatever they were.
  bool first_across, second_across;
  unsigned long long first, second;
  void* const* sums;  ///< Of floats, or of ints: kI8.
  unsigned num_sums;
};
void MultiplyInPlace(const StepInPlace& step);

/// wgmma.fence, wgmma.commit_group and wgmma.wait_group of the running thread.
void BeginBatch();
void CommitBatch();
void AwaitBatches(int batches_left);

/// fence.proxy.async of the running thread.
void Publish();

/// Where the running thread is, as CUDA says it.
struct Index {
  unsigned x = 0, y = 0, z = 0;
};

}  // namespace exh_shim

extern __thread exh_shim::Index threadIdx, blockIdx;
