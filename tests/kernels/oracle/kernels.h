// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/library/kernel.h"
#include "kernels/library/yardstick.h"

namespace exh::kernels {

std::unique_ptr<Kernel> MakeAxpy();
std::unique_ptr<Kernel> MakeMv();
std::unique_ptr<Kernel> MakeMatmul();
std::unique_ptr<Kernel> MakeGesummv();
std::unique_ptr<Kernel> MakeBatchedMatmul();
std::unique_ptr<Kernel> MakeMatmul2();

/// Size "inner_tile": the largest inner tile. The paper (001, section 5.1) has 4; 16 fills the
/// widest vectors of a cpu.
Parameter InnerTile();
/// Its value; the default where the sizes do not name it.
std::uint32_t LargestInnerTile(const Parameters& sizes);

}  // namespace exh::kernels
