// SPDX-License-Identifier: MIT
//
// Types of arrays and scalars of users: those of kernels of ours (kernels/ir/types.h), and integers
// that ours do not compute with. Nothing is computed with what a user's kernel made, it is
// compared. Integers are right when they are the same, bit by bit. So those that ours do not have
// are compared as ones of the same bits that they have: a u8 as an i8, a u16 as two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/types.h"

namespace exh::kernels {

class OwnType {
 public:
  OwnType(ir::Type type = ir::Type::kF32) : word_(ir::WordOf(type)), cell_(type) {}

  /// "u8", and all words of ir::TypeOfWord().
  static std::optional<OwnType> OfWord(std::string_view word);
  static std::vector<std::string> Words();

  std::string_view word() const { return word_; }
  /// What an element is compared as, and how many of them it is.
  ir::Type cell() const { return cell_; }
  unsigned cells() const { return cells_; }
  std::uint32_t bytes() const { return cells_ * ir::BytesOf(cell_); }
  bool is_float() const { return ir::IsFloat(cell_); }
  bool is_signed() const;
  /// Is it one of ours?
  bool is_ours() const { return is_ours_; }

  /// One element in memory. Integers lose their fraction, and whole multiples of 2^n as in C.
  void Write(void* element, double value) const;
  /// As messages show it: "200". For integers that are none of ours.
  std::string TextOf(const void* element) const;

 private:
  OwnType(std::string_view word, ir::Type cell, unsigned cells)
      : word_(word), cell_(cell), cells_(cells), is_ours_(false) {}

  std::string_view word_;
  ir::Type cell_;
  unsigned cells_ = 1;
  bool is_ours_ = true;
};

}  // namespace exh::kernels
