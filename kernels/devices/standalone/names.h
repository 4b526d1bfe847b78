// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/ir/names/identifiers.h"

namespace exh::kernels::standalone {

/// Names of what the kernel takes, as identifiers that clash with nothing in the program.
struct Names {
  explicit Names(const ir::Function& function);
  std::string kernel;                ///< "matmul": before "_launch" and "_kernel".
  std::vector<std::string> arrays;   ///< By number.
  std::vector<std::string> scalars;  ///< Likewise.
};

/// What a kernel is called in names of functions: "matmul" of "exh_matmul" and "tuned.matmul". No
/// function of another kernel has such a name.
std::string KernelIdentifier(std::string_view name);

/// "MATMUL": what constants begin with.
std::string UpperCase(const std::string& name);

}  // namespace exh::kernels::standalone
