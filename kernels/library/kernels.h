// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/library/kernel.h"
#include "kernels/library/yardstick.h"

namespace exh::kernels {

std::unique_ptr<Kernel> MakeAxpy();
std::unique_ptr<Kernel> MakeMv();
std::unique_ptr<Kernel> MakeMatmul();

}  // namespace exh::kernels
