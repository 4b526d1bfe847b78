// SPDX-License-Identifier: MIT
//
// What code generation refuses of a space: random implementations of a kernel are drawn, lowered,
// counted and printed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kernels/task.h"

namespace exh::kernels::testing {

struct Refusals {
  struct Reason {
    std::uint64_t count = 0;
    std::string why;        ///< Of the first one, as it was said.
    std::string decisions;  ///< All of the first one, one a line.
  };
  std::uint64_t drawn = 0;     ///< Implementations.
  std::uint64_t given_up = 0;  ///< Descents that found none.
  std::uint64_t refused = 0;   ///< That have no code, or on which a check of ours failed.
  std::map<std::string, Reason> reasons;  ///< By the reason without its names and numbers.

  /// A line for each reason; empty where nothing was refused.
  std::string Text() const;
};

/// Draws so many implementations: in the order of choices of the space and, every other one, in
/// that of descents near the elite set, which draws what the other one hardly does. A descent draws
/// from a stream of its own, so that the same seed draws the same ones with any number of threads.
Refusals CountRefusals(const Task& task, std::uint64_t count, std::uint64_t seed, int threads = 1);

}  // namespace exh::kernels::testing
