// SPDX-License-Identifier: MIT
#include <sched.h>

#include <fstream>
#include <string>
#include <thread>

#include "kernels/devices/cpu/detect.h"

namespace exh::kernels {

std::uint32_t DetectVectorFloats() {
#if defined(__x86_64__)
  __builtin_cpu_init();  // Asks the processor, and whether the system saves the wide registers.
  if (__builtin_cpu_supports("avx512f")) return 16;
  if (__builtin_cpu_supports("avx")) return 8;
#endif
  return 4;
}

std::uint32_t DetectVectorRegisters() {
#if defined(__x86_64__)
  constexpr std::uint32_t kAvx512Floats = 16;
  return DetectVectorFloats() < kAvx512Floats ? 16 : 32;
#else
  return 32;
#endif
}

std::uint32_t DetectL2Bytes() {
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    int level = 0;
    if (!(std::ifstream(folder + "level") >> level)) break;
    std::uint32_t size = 0;
    char unit = ' ';
    if (level != 2 || !(std::ifstream(folder + "size") >> size >> unit)) continue;
    return size * (unit == 'M' ? 1U << 20 : unit == 'K' ? 1U << 10 : 1U);
  }
  return 512U << 10;
}

std::uint32_t DetectCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<std::uint32_t>(CPU_COUNT(&set));
  }
  const unsigned cores = std::thread::hardware_concurrency();
  return cores == 0 ? 1 : cores;
}

}  // namespace exh::kernels
