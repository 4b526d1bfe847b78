// SPDX-License-Identifier: MIT
//
// The kernels of texts/, compiled in: an installed program has them without its source tree.
#pragma once

#include <span>
#include <string_view>

namespace exh::kernels {

struct KernelText {
  std::string_view file;  ///< "matmul.kernel".
  std::string_view text;
};

/// In the order of `search list`: that of kernels/CMakeLists.txt.
std::span<const KernelText> LibraryTexts();

}  // namespace exh::kernels
