// SPDX-License-Identifier: MIT
//
// Numbers, types and accesses as C++, for all texts that are derived from a backbone; operations
// are those of kernels/ir/text/op_text.h. Of the dialects they know kCpp, kCuda and kDouble.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/ir/text/op_text.h"

namespace exh::kernels::derived {

using ir::AccumulateText, ir::Dialect, ir::OpText, ir::Piece, ir::Within;

/// A literal that reads back as exactly this value, of what `type` is computed in, or of the
/// dialect's double.
std::string NumberText(double value, Dialect dialect, ir::Type type = ir::Type::kF32);
/// The same of an integer beyond what a double has, too, but in the dialect's double.
std::string NumberText(const ir::Number& number, Dialect dialect, ir::Type type = ir::Type::kF32);

/// ir::OpText() and ir::AccumulateText() in kDouble, where they call nothing that has to stand
/// before the text.
Piece DoubleText(ir::Op op, const std::vector<Piece>& operands, ir::Type computes = ir::Type::kF64);
std::string AccumulateDouble(ir::Op op, const std::string& sum, const std::vector<Piece>& operands,
                             ir::Type computes = ir::Type::kF64);

/// Do both texts hold an operand twice? Long ones are better named before.
bool RepeatsOperands(ir::Op op);

// ---- types, for kCpp and kCuda ----

using ir::ElementName, ir::RegisterName;

/// A value of type `from`, as what `to` is computed in.
Piece CastText(const Piece& value, ir::Type from, ir::Type to);
/// What an element in memory is to those who compute with it; `in` notes what that calls.
std::string LoadText(const std::string& element, ir::Type type, ir::HelperFunctions& in);
/// A value of type `from`, rounded to `to`, as an element in memory.
std::string StoreText(const Piece& value, ir::Type from, ir::Type to, ir::HelperFunctions& in);
/// The same as what `to` is computed in.
Piece RoundText(const Piece& value, ir::Type from, ir::Type to, ir::HelperFunctions& in);
/// The double, which is not off, as an integer or a bool; in double again.
Piece WholeText(const Piece& value, ir::Type to);

// ---- accesses ----

/// `m * 512 + k + 3`: the offset, and each index with the elements that one step of it moves. "0"
/// when there is nothing.
std::string IndexText(const std::vector<std::pair<std::string, std::int64_t>>& indices,
                      std::int64_t offset = 0);

}  // namespace exh::kernels::derived
