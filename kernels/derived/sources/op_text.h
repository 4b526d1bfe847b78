// SPDX-License-Identifier: MIT
//
// Operations, numbers, types and accesses as C++. All texts that are derived from a backbone take
// them from here: a new operation is printed once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/ir/text/type_text.h"

namespace exh::kernels::derived {

/// A piece of C++ and how tightly it holds together. A name, a call or an element is an atom.
struct Piece {
  enum class Binding : std::uint8_t { kChoice, kSum, kProduct, kAtom };
  std::string text;
  Binding binding = Binding::kAtom;
};

/// What a text computes with.
enum class Dialect : std::uint8_t {
  kCpp,     ///< The types that the backbone says; nothing is included.
  kCuda,    ///< The same.
  kDouble,  ///< double, also for integers; <cmath> and <cstdint> are included.
};

/// The text, in parentheses if it holds together less than `binding`.
std::string Within(const Piece& piece, Piece::Binding binding);

/// A literal that reads back as exactly this value, of what `type` is computed in, or of the
/// dialect's double.
std::string NumberText(double value, Dialect dialect, ir::Type type = ir::Type::kF32);
/// The same of an integer beyond what a double has, too, but in the dialect's double.
std::string NumberText(const ir::Number& number, Dialect dialect, ir::Type type = ir::Type::kF32);

/// `op` of its operands, in their order, evaluated in `computes`, which they are converted to; not
/// for memory, casts and indices. What Function says of a NaN holds.
Piece OpText(ir::Op op, const std::vector<Piece>& operands, Dialect dialect, ir::Type computes);

/// The statement that makes a reduction's value `sum` that of one more point. `operands` are those
/// of the reduction.
std::string AccumulateText(ir::Op op, const std::string& sum, const std::vector<Piece>& operands,
                           Dialect dialect, ir::Type computes);

/// Do both texts hold an operand twice? Long ones are better named before.
bool RepeatsOperands(ir::Op op);

// ---- types, for kCpp and kCuda ----

using ir::ElementName, ir::RegisterName;

/// A value of type `from`, as what `to` is computed in.
Piece CastText(const Piece& value, ir::Type from, ir::Type to);
/// What an element in memory is to those who compute with it.
std::string LoadText(const std::string& element, ir::Type type);
/// A value of type `from`, rounded to `to`, as an element in memory.
std::string StoreText(const Piece& value, ir::Type from, ir::Type to);
/// The same as what `to` is computed in.
Piece RoundText(const Piece& value, ir::Type from, ir::Type to);
/// The double, which is not off, as an integer or a bool; in double again.
Piece WholeText(const Piece& value, ir::Type to);

// ---- accesses ----

/// `m * 512 + k + 3`: the offset, and each index with the elements that one step of it moves. "0"
/// when there is nothing.
std::string IndexText(const std::vector<std::pair<std::string, std::int64_t>>& indices,
                      std::int64_t offset = 0);

}  // namespace exh::kernels::derived
