// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>

#include "kernels/ir/types.h"

namespace exh::kernels::ir {

/// A number of any type, exactly: a double, or an integer of 64 bits, which a double may have no
/// place for. Who needs no more than a double takes it for one.
class Number {
 public:
  Number() = default;
  Number(double value) : value_(value) {}
  template <std::integral T>
  Number(T whole) : value_(static_cast<double>(whole)), whole_(whole), is_whole_(true) {}

  operator double() const { return value_; }
  /// Without its fraction; beyond 2^63 the nearest that there is; of a NaN 0.
  std::int64_t whole() const;
  /// Does it come from an integer? Then whole() is all of it.
  bool is_whole() const { return is_whole_; }
  /// What arrays of scalars have of it for a type, as they cross from program to program: of an
  /// i64 the bits of the integer, else those of the double.
  std::uint64_t Cell(Type type) const;
  static Number OfCell(Type type, std::uint64_t cell);

 private:
  double value_ = 0;
  std::int64_t whole_ = 0;
  bool is_whole_ = false;
};

/// The same number?
inline bool AreEqual(const Number& a, const Number& b) {
  return a.is_whole() && b.is_whole() ? a.whole() == b.whole() : double{a} == double{b};
}

/// Rounded() of types.h, exactly.
Number Rounded(Type type, const Number& number);

/// WriteElement() of types.h, exactly.
void WriteElement(Type type, void* element, const Number& number);
/// An element in memory, exactly.
Number ReadNumber(Type type, const void* element);

}  // namespace exh::kernels::ir
