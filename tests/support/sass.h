// SPDX-License-Identifier: MIT
//
// Machine code of NVIDIA's GPUs, as far as tests look into it: no disassembler is installed
// everywhere. Instructions have 128 bits from sm_70 on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace exh::tests {

/// Steps of the matrix unit of doubles in a kernel.
struct DoubleSteps {
  int all = 0;
  /// Those that a condition of the whole block gives 0 in the place of their sums: what ptxas makes
  /// of sums that begin as `condition ? value : 0`.
  int of_zero_or_sums = 0;
};

/// The machine code of a kernel in a cubin, an ELF file; empty when it is not there.
inline std::string_view CodeOf(std::string_view cubin, const std::string& kernel) {
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    if (at + bytes <= cubin.size()) std::memcpy(&value, cubin.data() + at, bytes);
    return value;
  };
  constexpr std::size_t kHeader = 64;  // Of a section.
  const std::uint64_t table = number(0x28, 8), sections = number(0x3c, 2), names = number(0x3e, 2);
  const std::uint64_t words = number(table + names * kHeader + 0x18, 8);
  for (std::uint64_t i = 0; i < sections; ++i) {
    const std::uint64_t section = table + i * kHeader, name = words + number(section, 4);
    if (name >= cubin.size() || cubin.data() + name != ".text." + kernel) continue;
    return cubin.substr(number(section + 0x18, 8), number(section + 0x20, 8));
  }
  return {};
}

inline DoubleSteps DoubleStepsOf(std::string_view cubin, const std::string& kernel) {
  constexpr std::uint64_t kOperation = 0x1ff, kDmma = 0x3f;
  DoubleSteps steps;
  const std::string_view code = CodeOf(cubin, kernel);
  for (std::size_t at = 0; at + 16 <= code.size(); at += 16) {
    std::uint64_t low = 0, high = 0;
    std::memcpy(&low, code.data() + at, sizeof low);
    std::memcpy(&high, code.data() + at + 8, sizeof high);
    if ((low & kOperation) != kDmma) continue;
    ++steps.all;
    steps.of_zero_or_sums += (high >> 23 & 0xf) != 0;  // A predicate that is not "always".
  }
  return steps;
}

}  // namespace exh::tests
