// SPDX-License-Identifier: MIT
#include "kernels/cpu/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace exh::kernels::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Comparison Compare(const ProblemArray& array, std::span<const float> got) {
  Comparison result;
  double squares = 0;
  std::uint64_t with_tolerance = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double tolerance = array.tolerance[i];
    const double error = ErrorOf(got[i], array.reference[i], tolerance);
    const bool is_right = error <= std::max(tolerance, 0.0) && error < kInfinity;
    if (!is_right && result.wrong++ == 0) result.first_wrong = i;
    result.max_error = std::max(result.max_error, error);
    if (error > 0) result.max_ratio = std::max(result.max_ratio, error / std::max(tolerance, 0.0));
    if (!(tolerance > 0 && tolerance < kInfinity)) continue;
    squares += error / tolerance * (error / tolerance);
    ++with_tolerance;
  }
  if (with_tolerance > 0) {
    result.rms_ratio = std::sqrt(squares / static_cast<double>(with_tolerance));
  }
  if (result.wrong > 0) {
    result.why = WrongElementText(array.name, result.first_wrong, got[result.first_wrong],
                                  array.reference[result.first_wrong],
                                  array.tolerance[result.first_wrong], result.wrong);
  } else if (result.rms_ratio > array.rms_limit) {
    result.why = WrongMeanText(array.name, result.rms_ratio, array.rms_limit);
  }
  return result;
}

std::string WrongElementText(const std::string& name, std::uint64_t index, float got,
                             double reference, double tolerance, std::uint64_t wrong) {
  const std::string within =
      tolerance == kSameBits ? "bit by bit" : fmt::format("within {:.3g}", tolerance);
  return fmt::format("{}[{}] is {}, expected {} {} ({} {} wrong)", name, index, got, reference,
                     within, wrong, wrong == 1 ? "element is" : "elements are");
}

std::string WrongMeanText(const std::string& name, double rms_ratio, double rms_limit) {
  return fmt::format(
      "{}: the root mean square of error / tolerance over all elements is {:.3g}, at most {:.3g} "
      "is right",
      name, rms_ratio, rms_limit);
}

}  // namespace exh::kernels::cpu
