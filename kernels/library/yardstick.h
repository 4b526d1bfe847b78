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

/// `body` as Kernel::ReferenceElement() is to be, with the numbers that it uses as constants in
/// front. What is not used is better left out: compilers warn of it.
inline std::string ElementText(const Parameters& numbers, const std::string& body) {
  std::string text;
  for (const auto& [name, value] : numbers) {
    text += "const std::int64_t " + name + " = " + std::to_string(value) + ";\n";
  }
  return text + body;
}

/// A GPU kernel with one thread for each of `elements` results, in blocks of 256: `parameters` are
/// those of the function, and `body` finds the number of its element in `i`.
inline Source CudaYardstick(const Parameters& sizes, std::int64_t elements,
                            const std::string& parameters, const std::string& body) {
  constexpr std::int64_t kThreads = 256;
  Launch launch;
  launch.threads = kThreads;
  launch.grid = static_cast<std::uint64_t>((elements + kThreads - 1) / kThreads);
  return {
      Yardstick(sizes, "extern \"C\" __global__ void exh_kernel(" + parameters +
                           ") {\n  const long i = blockIdx.x * 256l + threadIdx.x;\n  if (i >= " +
                           std::to_string(elements) + ") return;\n" + body + "}\n"),
      launch};
}

}  // namespace exh::kernels
