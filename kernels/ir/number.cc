// SPDX-License-Identifier: MIT
#include "kernels/ir/number.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace exh::kernels::ir {
namespace {

constexpr double kBeyond = 0x1p63;

/// The lower bits of an integer that the type has.
std::int64_t LowBits(Type type, std::int64_t whole) {
  switch (type) {
    case Type::kI32:
      return static_cast<std::int32_t>(whole);
    case Type::kU32:
      return static_cast<std::uint32_t>(whole);
    case Type::kI8:
      return static_cast<std::int8_t>(whole);
    case Type::kBool:
      return whole != 0 ? 1 : 0;
    default:
      return whole;
  }
}

}  // namespace

std::int64_t Number::whole() const {
  if (is_whole_) return whole_;
  if (std::isnan(value_)) return 0;
  if (value_ >= kBeyond) return std::numeric_limits<std::int64_t>::max();
  if (value_ < -kBeyond) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value_);
}

std::uint64_t Number::Cell(Type type) const {
  if (type == Type::kI64) return static_cast<std::uint64_t>(whole());
  return std::bit_cast<std::uint64_t>(value_);
}

Number Number::OfCell(Type type, std::uint64_t cell) {
  if (type == Type::kI64) return static_cast<std::int64_t>(cell);
  return std::bit_cast<double>(cell);
}

Number Rounded(Type type, const Number& number) {
  if (IsFloat(type) || (type != Type::kI64 && !number.is_whole())) {
    return Rounded(type, double{number});
  }
  return LowBits(type, number.whole());
}

void WriteElement(Type type, void* element, const Number& number) {
  if (type != Type::kI64) return WriteElement(type, element, double{Rounded(type, number)});
  const std::int64_t whole = number.whole();
  std::memcpy(element, &whole, sizeof whole);
}

Number ReadNumber(Type type, const void* element) {
  if (type != Type::kI64) return ReadElement(type, element);
  std::int64_t whole = 0;
  std::memcpy(&whole, element, sizeof whole);
  return whole;
}

}  // namespace exh::kernels::ir
