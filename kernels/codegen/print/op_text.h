// SPDX-License-Identifier: MIT
//
// Values in registers: scalars, and the vectors that C++ has there. Operators and conversions of
// scalars are those of kernels/ir/text/op_text.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/ir/text/op_text.h"

namespace exh::kernels::codegen {

using ir::CastText, ir::Dialect, ir::ElementName, ir::FromElementText, ir::NumberText,
    ir::RegisterName, ir::ToElementText;

/// A value in a register: a scalar, or a vector, which only C++ has in registers.
struct ValueText {
  std::string text;
  bool is_vector = false;
};

/// A value of `from`, as one of `to`, of any types: what kConst does. A narrow type rounds:
/// "exh_from_f16(exh_to_f16(x))". `lanes`: of a vector. `in` notes what that calls, here and below.
ValueText Convert(const ValueText& value, ir::Type from, ir::Type to, std::uint32_t lanes,
                  ir::HelperFunctions& in);

/// The operator of its operands (ir::OpText), which are names, literals, calls or elements. Where
/// any is a vector of `lanes`, so is the value; the condition of a kSelect that is one has elements
/// as wide as those of the value (ConditionText()).
ValueText OpText(ir::Op op, ir::Type computes, const std::vector<ValueText>& operands,
                 std::uint32_t lanes, ir::HelperFunctions& in);

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
