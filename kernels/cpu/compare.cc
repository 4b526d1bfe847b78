// SPDX-License-Identifier: MIT
#include "kernels/cpu/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace exh::kernels::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of elements that are a `T` each (ir::WithType).
template <typename T>
OutputComparison CompareElements(const ProblemArray& array, const std::byte* got,
                                 std::size_t elements) {
  OutputComparison result;
  double squares = 0;
  std::uint64_t with_tolerance = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    T element;
    std::memcpy(&element, got + i * sizeof element, sizeof element);
    const double tolerance = array.tolerance[i];
    double error = ErrorOf(array.type, ir::ToDouble(element), array.reference[i], tolerance);
    if constexpr (std::is_same_v<T, std::int64_t>) {
      if (!array.whole.empty()) error = ErrorOf(element, array.whole[i]);
    }
    if constexpr (std::is_same_v<T, ir::BoolByte>) {
      if (element.byte > 1) error = kInfinity;
    }
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
  return result;
}

/// As short as it can be in the type; integers have no fraction, and no exponent.
std::string NumberText(ir::Type type, const ir::Number& of) {
  const double number = of;
  if (!ir::IsFloat(type) && of.is_whole()) return fmt::format("{}", of.whole());
  if (!ir::IsFloat(type)) return fmt::format("{:.0f}", number);
  if (std::isnan(number)) return "nan";  // Its sign says nothing.
  const bool is_wide = ir::InfoOf(type).bits > std::numeric_limits<float>::digits;
  return is_wide ? fmt::format("{}", number) : fmt::format("{}", static_cast<float>(number));
}

}  // namespace

OutputComparison Compare(const ProblemArray& array, std::span<const std::byte> got) {
  const std::uint32_t bytes = ir::BytesOf(array.type);
  OutputComparison result = ir::WithType(array.type, [&]<typename T>(T) {
    return CompareElements<T>(array, got.data(), got.size() / sizeof(T));
  });
  if (result.wrong > 0) {
    const std::uint64_t first = result.first_wrong;
    result.why = WrongElementText(
        array.name, array.type, first, ir::ReadNumber(array.type, got.data() + first * bytes),
        array.whole.empty() ? ir::Number(array.reference[first]) : ir::Number(array.whole[first]),
        array.tolerance[first], result.wrong);
  } else if (result.rms_ratio > array.rms_limit) {
    result.why = WrongMeanText(array.name, result.rms_ratio, array.rms_limit);
  }
  return result;
}

std::string WrongElementText(const std::string& name, ir::Type type, std::uint64_t index,
                             const ir::Number& got, const ir::Number& reference, double tolerance,
                             std::uint64_t wrong) {
  const std::string within =
      tolerance == kSameBits ? "bit by bit" : fmt::format("within {:.3g}", tolerance);
  // The reference of a float has digits that the element has no place for.
  const std::string expected =
      ir::IsFloat(type) ? fmt::format("{}", double{reference}) : NumberText(type, reference);
  return fmt::format("{}[{}] is {}, expected {} {} ({} {} wrong)", name, index,
                     NumberText(type, got), expected, within, wrong,
                     wrong == 1 ? "element is" : "elements are");
}

std::string WrongMeanText(const std::string& name, double rms_ratio, double rms_limit) {
  return fmt::format(
      "{}: the root mean square of error / tolerance over all elements is {:.3g}, at most {:.3g} "
      "is right",
      name, rms_ratio, rms_limit);
}

}  // namespace exh::kernels::cpu
