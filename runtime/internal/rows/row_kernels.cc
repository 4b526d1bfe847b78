// SPDX-License-Identifier: MIT
//
// The portable kernels, which say what all others compute, and the choice among those that this
// processor runs.
#include "runtime/internal/rows/row_kernels.h"

#include <bit>
#include <cstdlib>
#include <vector>

#include "runtime/state.h"

#define EXH_ROW_TARGET
#include "runtime/internal/rows/row_loop.h"

namespace exh::runtime::internal {
namespace {

template <typename Test>
std::uint64_t LanesThat(const Test& test) {
  std::uint64_t lanes = 0;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    lanes |= static_cast<std::uint64_t>(test(lane)) << lane;
  }
  return lanes;
}

struct PortableRows {
  static std::uint64_t Count(std::uint64_t lanes) {
    return static_cast<std::uint64_t>(std::popcount(lanes));
  }

  static std::uint64_t Excluded(const std::uint8_t* row, std::uint8_t values) {
    return LanesThat([=](std::uint32_t lane) { return (row[lane] & values) == 0; });
  }

  static std::uint64_t Certain(const std::uint8_t* row, std::uint8_t values) {
    return LanesThat([=](std::uint32_t lane) { return (row[lane] & ~values) == 0; });
  }

  static std::uint64_t Open(const std::uint8_t* row) {
    return LanesThat([=](std::uint32_t lane) { return (row[lane] & (row[lane] - 1)) != 0; });
  }

  static std::uint64_t Keep(const std::uint8_t* row, std::uint8_t values, std::uint8_t* out) {
    return LanesThat([=](std::uint32_t lane) {
      out[lane] = row[lane] & values;
      return out[lane] != row[lane];
    });
  }

  static std::uint64_t Intersect(const std::uint8_t* row, const std::uint8_t* other,
                                 std::uint8_t* out) {
    return LanesThat([=](std::uint32_t lane) {
      out[lane] = row[lane] & other[lane];
      return out[lane] != row[lane];
    });
  }

  static std::uint64_t Differ(const std::uint8_t* row, const std::uint8_t* other) {
    return LanesThat([=](std::uint32_t lane) { return row[lane] != other[lane]; });
  }

  static void Compose(const std::uint8_t* b, const std::uint8_t* c, const std::uint8_t* lut_b,
                      const std::uint8_t* lut_c, int, int, std::uint64_t lanes, std::uint8_t* out_b,
                      std::uint8_t* out_c, std::uint64_t* changed_b, std::uint64_t* changed_c) {
    *changed_b = *changed_c = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      out_b[lane] = b[lane] & lut_b[c[lane]];
      out_c[lane] = c[lane] & lut_c[out_b[lane]];
      if (out_b[lane] != b[lane]) *changed_b |= std::uint64_t{1} << lane;
      if (out_c[lane] != c[lane]) *changed_c |= std::uint64_t{1} << lane;
    }
  }
};

constexpr RowKernels kPortable = TableOf<PortableRows, RowLoop>("portable");

std::vector<const RowKernels*> FindSupported() {
  std::vector<const RowKernels*> supported = {&kPortable};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (Avx2RowKernels() != nullptr && __builtin_cpu_supports("avx2")) {
    supported.push_back(Avx2RowKernels());
  }
  if (Avx512RowKernels() != nullptr && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vbmi")) {
    supported.push_back(Avx512RowKernels());
  }
#endif
  return supported;
}

const RowKernels* PickKernels() {
  const std::span<const RowKernels* const> supported = SupportedRowKernels();
  if (const char* wanted = std::getenv("EXH_ROWS")) {
    for (const RowKernels* kernels : supported) {
      if (kernels->name == wanted) return kernels;
    }
  }
  return supported.back();
}

const RowKernels*& Active() {
  static const RowKernels* active = PickKernels();
  return active;
}

}  // namespace

const RowKernels* PortableRowKernels() {
  return &kPortable;
}

std::span<const RowKernels* const> SupportedRowKernels() {
  static const std::vector<const RowKernels*> supported = FindSupported();
  return supported;
}

const RowKernels& ActiveRowKernels() {
  return *Active();
}

void UseRowKernels(const RowKernels& kernels) {
  Active() = &kernels;
}

}  // namespace exh::runtime::internal
