// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/library/kernel.h"

namespace exh::kernels {

/// `body` with every size as a constant in front: `constexpr long n = 1024;`.
inline std::string Yardstick(const Parameters& sizes, const std::string& body) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    text += "constexpr long " + name + " = " + std::to_string(value) + ";\n";
  }
  return text + body;
}

}  // namespace exh::kernels
