// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernels/ir/function.h"

namespace exh::kernels::standalone {

/// `name` as an identifier that is not in `taken`, where it is put.
std::string Identifier(const std::string& name, std::set<std::string>& taken);

/// Names of what the kernel takes, as identifiers that clash with nothing in the program.
struct Names {
  explicit Names(const ir::Function& function);
  std::string kernel;                ///< "matmul": before "_launch" and "_kernel".
  std::vector<std::string> arrays;   ///< By number.
  std::vector<std::string> scalars;  ///< Likewise.
};

/// "MATMUL": what constants begin with.
std::string UpperCase(const std::string& name);

}  // namespace exh::kernels::standalone
