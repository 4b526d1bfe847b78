// SPDX-License-Identifier: MIT
//
// Is an output what it should be? The GPU's device programs
// (kernels/devices/cuda/driver/device_programs.cc) say the same of arrays in its memory.
//
// An element is right when it is of the reference's class and, if that is finite, within its
// tolerance: a NaN matches a NaN, an infinity the same infinity, and nothing else does. Zeros of
// both signs are equal, unless the tolerance is kSameBits. An infinite tolerance says that nothing
// is known but that the element is a number, and kAnything not even that. A bool is a byte that is
// 0 or 1: any other one is wrong. All elements together must satisfy one thing more, for errors
// that are small everywhere but should be smaller (inputs that were rounded to half precision): the
// root mean square of difference / tolerance is at most `rms_limit`.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "kernels/cpu/problem_file.h"

namespace exh::kernels::cpu {

/// A tolerance: the element is the reference rounded to its type, bit by bit; a NaN is any NaN.
inline constexpr double kSameBits = -1;
/// … anything is right.
inline constexpr double kAnything = -2;

/// |got - reference| of an element of the type; infinity when one is NaN or infinite and the other
/// is not the same, or when bits that count differ.
inline double ErrorOf(ir::Type type, double got, double reference, double tolerance) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (tolerance == kAnything) return 0;
  if (std::isnan(reference)) return std::isnan(got) ? 0 : infinity;
  if (tolerance == kSameBits) {
    const auto wanted = std::bit_cast<std::uint64_t>(ir::Rounded(type, reference));
    return std::bit_cast<std::uint64_t>(got) == wanted ? 0 : infinity;
  }
  if (std::isinf(reference)) return got == reference ? 0 : infinity;
  const double error = std::abs(got - reference);
  return std::isnan(error) ? infinity : error;
}

/// The same of an i64, exactly.
inline double ErrorOf(std::int64_t got, std::int64_t reference) {
  const auto a = static_cast<std::uint64_t>(got), b = static_cast<std::uint64_t>(reference);
  return static_cast<double>(got < reference ? b - a : a - b);
}

struct OutputComparison {
  std::string why;                ///< Empty: all is right. Else array, index, value and reference.
  std::uint64_t wrong = 0;        ///< Elements that are.
  std::uint64_t first_wrong = 0;  ///< The first of them, where there is one.
  double max_error = 0;           ///< Largest ErrorOf().
  double max_ratio = 0;  ///< Largest error / tolerance; infinity for one where none is due.
  double rms_ratio = 0;  ///< Root mean square of error / tolerance over elements with a tolerance.
};

/// `array` is an output, `got` what a candidate made of it: as many elements, in memory.
OutputComparison Compare(const ProblemArray& array, std::span<const std::byte> got);

/// What `why` says of an element of the type, and of all of them. They stand for themselves.
std::string WrongElementText(const std::string& name, ir::Type type, std::uint64_t index,
                             const ir::Number& got, const ir::Number& reference, double tolerance,
                             std::uint64_t wrong);
std::string WrongMeanText(const std::string& name, double rms_ratio, double rms_limit);

}  // namespace exh::kernels::cpu
