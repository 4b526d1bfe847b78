// SPDX-License-Identifier: MIT
//
// Operators and conversions as text, in each dialect. All texts take them from here: a new
// operation is printed once.
//
// Registers hold compute types (ComputeTypeOf()), memory holds elements. Between the two stand the
// functions of type_text.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/ir/text/helper_functions.h"
#include "kernels/ir/text/type_text.h"

namespace exh::kernels::ir {

/// `text`, of a register type `from`, as `to` (both compute types): "static_cast<float>(x)";
/// unchanged where they are one.
std::string CastText(const std::string& text, Type from, Type to, Dialect in);

// The functions below note in `in` what they call; it has the dialect.

/// An element in memory, of any type, as a value in a register: "exh_from_f16(x)".
std::string FromElementText(const std::string& element, Type type, HelperFunctions& in);

/// A register that holds a value of `from`, as an element of `to`, of any types: "exh_to_f16(x)".
/// It is rounded. Unchanged where both are one and wide.
std::string ToElementText(const std::string& text, Type from, Type to, HelperFunctions& in);

/// A piece of C++ and how tightly it holds together. A name, a call or an element is an atom;
/// kChoice is anything looser than a sum.
struct Piece {
  enum class Binding : std::uint8_t { kChoice, kSum, kProduct, kAtom };
  std::string text;
  Binding binding = Binding::kAtom;
};

/// The text, in parentheses if it holds together less than `binding`.
std::string Within(const Piece& piece, Piece::Binding binding);

/// `op` of its operands, in their order, evaluated in `computes`, which they are converted to; but
/// the condition of a kSelect has any type. Not for memory, casts and indices. Comparisons are 1 or
/// 0. `computes` tells !a of a bool from ~a of an integer. What Function says of a NaN holds.
Piece OpText(Op op, const std::vector<Piece>& operands, HelperFunctions& in, Type computes);

/// The statement that makes a reduction's value `sum` that of one more point. `operands` are those
/// of the reduction.
std::string AccumulateText(Op op, const std::string& sum, const std::vector<Piece>& operands,
                           HelperFunctions& in, Type computes);

}  // namespace exh::kernels::ir
