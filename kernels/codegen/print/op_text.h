// SPDX-License-Identifier: MIT
//
// Operators and conversions as text. All printers take them from here: each is printed once.
//
// Registers hold compute types (ir::ComputeTypeOf()), memory holds elements. Between the two stand
// the functions of kernels/ir/text/type_text.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/ir/text/type_text.h"

namespace exh::kernels::codegen {

using ir::Dialect, ir::ElementName, ir::NumberText, ir::RegisterName;

/// `text`, of a register type `from`, as `to` (both compute types): "static_cast<float>(x)";
/// unchanged where they are one.
std::string CastText(const std::string& text, ir::Type from, ir::Type to, Dialect in);

/// An element in memory, of any type, as a value in a register: "exh_from_f16(x)".
std::string FromElementText(const std::string& element, ir::Type type, Dialect in);

/// A register that holds a value of `from`, as an element of `to`, of any types: "exh_to_f16(x)".
/// It is rounded. Unchanged where both are one and wide.
std::string ToElementText(const std::string& text, ir::Type from, ir::Type to, Dialect in);

/// A value in a register: a scalar, or a vector, which only C++ has in registers.
struct ValueText {
  std::string text;
  bool is_vector = false;
};

/// A value of `from`, as one of `to`, of any types: what kConst does. A narrow type rounds:
/// "exh_from_f16(exh_to_f16(x))". `lanes`: of a vector.
ValueText Convert(const ValueText& value, ir::Type from, ir::Type to, std::uint32_t lanes,
                  Dialect in);

/// The operator of its operands. They are names, literals, calls or elements in registers of the
/// type `computes` is computed in; but the condition of a kSelect has any type, and where it is a
/// vector, elements as wide as those of its value (ConditionText()). Comparisons are int, 1 or 0.
/// `computes` tells !a of a bool from ~a of an integer. Where any operand is a vector of `lanes`,
/// so is the value.
ValueText OpText(ir::Op op, ir::Type computes, const std::vector<ValueText>& operands,
                 std::uint32_t lanes, Dialect in);

/// A condition of type `from` for a kSelect that is evaluated in `computes`.
ValueText ConditionText(const ValueText& condition, ir::Type from, ir::Type computes,
                        std::uint32_t lanes);

/// "_f64": what names of vectors and of what works on them end in; empty for f32.
std::string VectorSuffix(ir::Type type);

/// "vec8_f64": a vector of ElementName(type).
std::string VectorName(ir::Type type, std::uint32_t lanes);

/// The value, of a compute type, as a vector.
std::string AsVector(const ValueText& value, ir::Type type, std::uint32_t lanes);

/// Is it a function of the mathematical library?
bool IsFunction(ir::Op op, ir::Type computes);

}  // namespace exh::kernels::codegen
