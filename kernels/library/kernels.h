// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "kernels/library/kernel.h"

namespace exh::kernels {

std::unique_ptr<Kernel> MakeAxpy();
std::unique_ptr<Kernel> MakeMv();
std::unique_ptr<Kernel> MakeMatmul();

/// `body` with every size as a constant in front: `constexpr long n = 1024;`.
std::string Yardstick(const Parameters& sizes, const std::string& body);

}  // namespace exh::kernels
