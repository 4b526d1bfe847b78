// SPDX-License-Identifier: MIT
//
// What a kernel of the text has a GPU do, counted while it is lowered. These are estimates: a
// compiler moves reads out of loops and makes one of several, and warps differ. The first warp
// stands for all, in the first iteration of its loops. They prove nothing; they say which of many
// mappings are worth a compiler.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/ir/index/index.h"

namespace exh::functional {

using kernels::ir::Index;

struct GpuWork {
  double steps = 0;           ///< Instructions of a thread.
  double reads = 0;           ///< Of global memory, by a thread; unrolled copies are one.
  double sectors = 0;         ///< Of 32 bytes, that accesses of a warp to global memory touch.
  double wavefronts = 0;      ///< Of shared memory, for the accesses of a warp.
  double barriers = 0;        ///< That a thread waits at.
  double private_floats = 0;  ///< Of a thread, in arrays.
};

/// A loop around an access.
struct WorkLoop {
  int variable = 0;           ///< Its number. 0, 1 and 2 are the threads of a group.
  double rounds = 1;          ///< Of a thread.
  std::int64_t elements = 1;  ///< Of all threads.
  int dimension = -1;         ///< Of the threads that it is divided among; -1: it is not.
  bool is_unrolled = false;
};
using WorkLoops = std::vector<WorkLoop>;

/// How often a thread goes through what is in all of them.
double TimesOf(const WorkLoops& loops);

/// How often a thread does something with this address: what only changes in outer loops is done
/// there, and unrolled copies with equal addresses are one.
double TimesOf(const WorkLoops& loops, const Index& address);

/// Of these times, those of unrolled copies in a row, for which the address is calculated once.
double CopiesOf(const WorkLoops& loops, const Index& address);

/// Instructions that calculate it, about.
double StepsOf(const Index& address);

/// Threads of a group, by dimension.
using Threads = std::array<std::int64_t, 3>;

/// Sectors that a warp touches when each lane reads the float at the address.
double SectorsOf(const WorkLoops& loops, const Threads& threads, const Index& address);
/// Wavefronts, when that is shared memory: words of one bank come one after the other.
double WavefrontsOf(const WorkLoops& loops, const Threads& threads, const Index& address);

}  // namespace exh::functional
