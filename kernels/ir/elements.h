// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "kernels/ir/number.h"
#include "kernels/ir/types.h"

namespace exh::kernels::ir {

/// The elements of an array of one type, as programs have them in memory.
class Elements {
 public:
  Elements() = default;
  /// All bits 0.
  Elements(Type type, std::uint64_t count)
      : type_(type), count_(count), bytes_(count * BytesOf(type)) {}

  Type type() const { return type_; }
  std::uint64_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  std::span<const std::byte> bytes() const { return bytes_; }

  double operator[](std::uint64_t i) const { return ReadElement(type_, At(i)); }
  /// Rounded to the type.
  void Set(std::uint64_t i, double value) {
    WriteElement(type_, bytes_.data() + i * BytesOf(type_), value);
  }
  void Set(std::uint64_t i, const Number& number) {
    WriteElement(type_, bytes_.data() + i * BytesOf(type_), number);
  }

  /// The elements as what they are in C++ (WithType): only for that type.
  template <typename T>
  std::span<const T> As() const {
    WithType(type_, []<typename Own>(Own) { EXH_CHECK((std::is_same_v<Own, T>)); });
    return {reinterpret_cast<const T*>(bytes_.data()), count_};
  }
  template <typename T>
  std::span<T> As() {
    const std::span<const T> same = static_cast<const Elements*>(this)->As<T>();
    return {const_cast<T*>(same.data()), same.size()};
  }

 private:
  const std::byte* At(std::uint64_t i) const { return bytes_.data() + i * BytesOf(type_); }

  Type type_ = Type::kF32;
  std::uint64_t count_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace exh::kernels::ir
