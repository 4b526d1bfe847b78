// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "kernels/library/kernel.h"

namespace exh::kernels {

std::unique_ptr<Kernel> MakeAxpy();
std::unique_ptr<Kernel> MakeMv();
std::unique_ptr<Kernel> MakeMatmul();

/// Size "inner_tile": the largest inner tile. The paper (001, section 5.1) has 4; 16 fills the
/// widest vectors of a cpu.
Parameter InnerTile();
/// Its value; the default where the sizes do not name it.
std::uint32_t LargestInnerTile(const Parameters& sizes);

/// `body` with every size as a constant in front: `constexpr long n = 1024;`.
std::string Yardstick(const Parameters& sizes, const std::string& body);

}  // namespace exh::kernels
