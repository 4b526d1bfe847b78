// SPDX-License-Identifier: MIT
//
// Operations, numbers and accesses as C++. All texts that are derived from a backbone take them
// from here: a new operation is printed once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ir/function.h"

namespace exh::kernels::derived {

/// A piece of C++ and how tightly it holds together. A name, a call or an element is an atom.
struct Piece {
  enum class Binding : std::uint8_t { kChoice, kSum, kProduct, kAtom };
  std::string text;
  Binding binding = Binding::kAtom;
};

/// What a text computes with.
enum class Dialect : std::uint8_t {
  kCpp,     ///< float; nothing is included.
  kCuda,    ///< float.
  kDouble,  ///< double; <cmath> is included.
};

/// The text, in parentheses if it holds together less than `binding`.
std::string Within(const Piece& piece, Piece::Binding binding);

/// A literal that reads back as exactly this value, of the dialect's type.
std::string NumberText(double value, Dialect dialect);

/// `op` of its operands, in their order; not for memory. What Function says of a NaN holds.
Piece OpText(ir::Op op, const std::vector<Piece>& operands, Dialect dialect);

/// The statement that makes a reduction's value `sum` that of one more point. `operands` are those
/// of the reduction.
std::string AccumulateText(ir::Op op, const std::string& sum, const std::vector<Piece>& operands,
                           Dialect dialect);

/// Do both texts hold an operand twice? Long ones are better named before.
bool RepeatsOperands(ir::Op op);

/// `m * 512 + k + 3`: the offset, and each index with the elements that one step of it moves. "0"
/// when there is nothing.
std::string IndexText(const std::vector<std::pair<std::string, std::int64_t>>& indices,
                      std::int64_t offset = 0);

}  // namespace exh::kernels::derived
