// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/ir/types.h"

namespace exh::kernels::cuda {

/// CUDA C++ of the kernels that check and surround candidates: exh_hash, exh_guard, exh_clock,
/// exh_deadline, exh_copy, exh_fma; for every type exh_check_<type>, for floats exh_pack_<type> and
/// exh_relu_<type>. Their parameters are in device_programs.cc.
const std::string& DeviceProgramsSource();

/// The name of the one for this type: "exh_check_f32" of "exh_check".
std::string NameFor(std::string_view program, ir::Type type);

/// What exh_check and exh_guard leave in memory.
struct CheckResult {
  std::uint64_t wrong = 0;                        ///< Elements outside of their tolerance, or NaN.
  std::uint64_t first_wrong = ~std::uint64_t{0};  ///< The smallest index of one.
  double max_error = 0;                           ///< Largest |x - reference|; infinity for a NaN.
  double max_ratio = 0;                           ///< Largest |x - reference| / tolerance.
  double squares = 0;         ///< Sum of the squares of |x - reference| / tolerance …
  std::uint64_t counted = 0;  ///< … over so many elements that have a tolerance.
  std::uint64_t guard = ~std::uint64_t{0};  ///< The smallest byte of a guard that changed.
};

}  // namespace exh::kernels::cuda
