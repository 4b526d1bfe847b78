// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kernels/library/kernel.h"

namespace exh::kernels {

/// Every kernel there is, in the order of `search list`.
const std::vector<std::unique_ptr<Kernel>>& AllKernels();
/// Null when there is none of that name.
const Kernel* FindKernel(std::string_view name);

}  // namespace exh::kernels
