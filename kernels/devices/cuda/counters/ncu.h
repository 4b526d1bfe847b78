// SPDX-License-Identifier: MIT
//
// Nsight Compute, `ncu`: how it is called so that it counts one run of a program, and what its
// table says. The table (`--csv --page raw`) stands among lines of its own that begin with "==":
//
//   ==PROF== Connected to process 17
//   "ID","Process ID", … ,"Kernel Name", … ,"dram__bytes.sum","launch__registers_per_thread"
//   "","", … ,"", … ,"byte","register/thread"
//   "0","17", … ,"exh_kernel", … ,"1,048,576","64"
//
// The first line has the names of the columns, the second one their units, and each that follows
// is a launch. What is no number was not counted.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/counters/counters.h"
#include "kernels/launch.h"

namespace exh::kernels::cuda {

/// What is asked of it.
struct NcuQuestion {
  Launch launch;                  ///< Of the program that is run.
  std::uint64_t runs = 0;         ///< Of the whole program before the one that is counted.
  bool cold = false;              ///< Caches are emptied before each launch.
  std::string file;               ///< Where it writes.
  std::set<std::string> without;  ///< Counters that are not asked for.
};

/// What is put before a command, so that it runs below `ncu`. `ncu`: as FindNcu() says.
std::vector<std::string> NcuCommand(const std::string& ncu, const NcuQuestion& question);

/// On PATH, or where CUDA is usually installed; empty: it is not here.
std::string FindNcu();

/// A launch, by the names of columns.
struct NcuLaunch {
  std::string kernel;
  std::map<std::string, double, std::less<>> values;
};

/// What it wrote.
struct NcuOutput {
  std::vector<NcuLaunch> launches;
  std::map<std::string, std::string, std::less<>> units;  ///< By column.
  std::vector<std::string> errors;  ///< Of ==ERROR==, and of ==WARNING== where nothing was counted.
};
NcuOutput ParseNcu(std::string_view text);

/// Counters that were asked for, and that errors say it does not know: a GPU has others than the
/// one before.
std::set<std::string> UnknownCounters(const NcuOutput& output);

/// What the launches of one run come to: sums, but for what is of a block, a thread or a share.
/// Without a launch `why` says what forbade it, and what would help.
CounterReading ReadingOf(const NcuOutput& output);

}  // namespace exh::kernels::cuda
