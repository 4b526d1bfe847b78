// SPDX-License-Identifier: MIT
//
// What the process that measures kernels of users is told once, as a file of JSON: arguments, and
// the default configuration, whose results are the reference.
#pragma once

#include <string>
#include <vector>

#include "kernels/devices/own/own_kernel.h"

namespace exh::kernels::cuda {

struct OwnSetup {
  std::vector<std::string> drivers;  ///< Names of the driver's library, to be tried in turn.
  std::string programs;              ///< Cubin of the device programs.
  int ordinal = 0;                   ///< Which GPU.
  std::string entry;                 ///< The name of the kernel.
  std::vector<OwnArgument> arguments, constants;
  double tolerance = 1e-4;
  std::string reference_cubin;  ///< Path.
  OwnLaunch reference;
};

std::string WriteOwnSetup(const OwnSetup& setup);
/// Throws json::exception when the text is none.
OwnSetup ParseOwnSetup(const std::string& text);

}  // namespace exh::kernels::cuda
