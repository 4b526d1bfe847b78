// SPDX-License-Identifier: MIT
//
// The hundred computations of KernelBench's first level, as texts of ours: computations.txt lists
// them, with the sizes that tests and searches have.
#pragma once

#include <string>
#include <vector>

namespace exh::kernels::testing {

struct Level1Computation {
  int number = 0;        ///< Of the suite.
  std::string name;      ///< Letters, digits and '_'.
  std::string file;      ///< With the text, from the root of the tree.
  std::string sizes;     ///< Of the tests: "m=8,n=4"; what is not named is as the text says.
  std::string searched;  ///< The same of searches on a GPU.
};

/// In the order of their numbers. Throws Error where the list is not as it must be.
std::vector<Level1Computation> Level1Computations();

}  // namespace exh::kernels::testing
