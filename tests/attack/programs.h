// SPDX-License-Identifier: MIT
//
// Programs of fused operators and of functional programs, sabotaged behind what they compute: by a
// function around them on a processor, by a kernel behind theirs on a GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/evaluation.h"
#include "search/subject/subject.h"
#include "tests/attack/sabotages.h"

namespace exh::attack {

/// A subject, and a right program of it.
struct ProgramTarget {
  std::string kind, name;  ///< "fused", "rows of halves".
  std::unique_ptr<search::Subject> subject;
  kernels::Source right;

  /// An array that the program is called with, in their order.
  struct Array {
    std::string type;  ///< In C++ and CUDA.
    bool is_output = false;
    unsigned long elements = 0;
  };
  std::vector<Array> arrays;
};

/// All targets for a device. Throws Error when it is not there.
std::vector<ProgramTarget> ProgramTargets(const std::string& device, bool is_gpu);

/// Those that a program can have on such a device.
std::vector<Sabotage> SabotagesOf(const ProgramTarget& target, bool is_gpu);

/// A sabotaged program, ready for the compiler of its device.
kernels::Source SourceOf(const ProgramTarget& target, const Sabotage& sabotage, bool is_gpu);

}  // namespace exh::attack
