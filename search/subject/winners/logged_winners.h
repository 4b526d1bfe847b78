// SPDX-License-Identifier: MIT
//
// Winners of earlier searches, as lists of decisions (subject/decision_file.h): those that are
// shipped (kernels/replays), or in a folder of somebody's own. Which of them is near a problem, and
// what its decisions are at the sizes of that problem.
//
// A winner says where to look, and nothing else: its time is of other sizes, or of another day.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/ir/device.h"
#include "kernels/library/kernel.h"
#include "kernels/recipes/recipe.h"
#include "runtime/candidate.h"

namespace exh::search {

struct LoggedWinner {
  std::string name;        ///< Of its file, without the ending: "matmul-512-avx512".
  std::string hash;        ///< Of what stands in it, 8 digits.
  double distance = 0;     ///< Sum over sizes of the logarithm to base 2 of their ratio, absolute.
  kernels::Recipe recipe;  ///< Its decisions.
  /// Of each size of the kernel: as the problem has it, and by what factor that is more than the
  /// winner's.
  struct Size {
    double here = 0, ratio = 1;
  };
  std::vector<Size> sizes;
};

/// So many islands of a run begin near a winner, of IslandOptions::at_once.
inline constexpr std::size_t kIslandsNearWinners = 2;

/// Where the shipped ones are.
std::string ShippedWinners();

/// At most so many winners of the kernel with the same options on such a device, the nearest first;
/// of those that are equally near, those of the class of the device, then by name. Of `folder` and
/// the folders in it: files that end in .txt or .replay. What is no such list, or of another
/// kernel, is passed over. Throws UsageError when `folder` is none.
std::vector<LoggedWinner> NearestWinners(const std::string& folder, const kernels::Kernel& kernel,
                                         const kernels::Parameters& sizes,
                                         const kernels::ir::Device& device, std::size_t most);

/// Its decisions as wishes of a space of the problem: numbers that the space lacks or that
/// propagation rules out give way to the nearest ones. The first factor of a product (the level of
/// a tiled axis around all others) grows and shrinks with the sizes; the others are sizes of tiles,
/// and stay.
kernels::Recipe Scaled(const LoggedWinner& winner, const runtime::Instance& instance);

}  // namespace exh::search
