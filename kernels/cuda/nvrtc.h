// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

namespace exh::kernels::cuda {

/// What is known of the run-time compiler of CUDA C++ on this machine.
struct NvrtcFacts {
  std::string library;  ///< The name that it was found by; empty when there is none.
  int major = 0, minor = 0;
  std::string problem;  ///< Why it cannot be used and what would help; empty when it can.
};

/// Where the compiler's library is looked for: by name, then in the folder of the toolkit.
std::vector<std::string> NvrtcNames();

/// Looks for the compiler and asks its version.
NvrtcFacts FindNvrtc(std::span<const std::string> names);

}  // namespace exh::kernels::cuda
