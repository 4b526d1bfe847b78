// SPDX-License-Identifier: MIT
//
// Kernels that are wrong in one small thing each, and some that only look as if they were, as texts
// that are C++ for the cpu and CUDA for a GPU.
#pragma once

#include <string>
#include <vector>

#include "kernels/evaluation.h"

namespace exh::attack {

/// A problem to try sabotages on.
struct Target {
  std::string kernel;  ///< Of the library.
  std::string size;    ///< As --size takes it.
  long terms = 1;      ///< Of a sum: what the table calls k.
};

struct Sabotage {
  std::string name;
  bool is_right = false;  ///< A control: it must pass.
  std::string defines;    ///< What is different, as macros in front of the text.
};

/// Those that the kernel of a target can have.
std::vector<Sabotage> SabotagesOf(const Target& target);

/// A sabotaged kernel, ready for the compiler of its device.
kernels::Source SourceOf(const Target& target, const Sabotage& sabotage, bool is_gpu);

}  // namespace exh::attack
