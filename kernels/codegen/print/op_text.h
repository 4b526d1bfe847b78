// SPDX-License-Identifier: MIT
//
// Operators and conversions as text. Both printers take them from here: each is printed once.
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

using ir::ElementName, ir::Language, ir::NumberText, ir::RegisterName;

/// `text`, of a register type `from`, as `to` (both compute types): "static_cast<float>(x)";
/// unchanged where they are one.
std::string CastText(const std::string& text, ir::Type from, ir::Type to);

/// An element in memory, of any type, as a value in a register: "exh_from_f16(x)".
std::string FromElementText(const std::string& element, ir::Type type);

/// A register that holds a value of `from`, as an element of `to`, of any types: "exh_to_f16(x)".
/// It is rounded. Unchanged where both are one and wide.
std::string ToElementText(const std::string& text, ir::Type from, ir::Type to);

/// A register that holds a value of `from`, as a register that holds one of `to`, of any types:
/// what kConst does. A narrow type rounds: "exh_from_f16(exh_to_f16(x))".
std::string ConvertText(const std::string& text, ir::Type from, ir::Type to);

/// The operator of its operands in CUDA C++. They are names, literals, calls or elements in
/// registers of the type `computes` is computed in; but the condition of a kSelect has any type.
/// Comparisons are int, 1 or 0. `computes` tells !a of a bool from ~a of an integer.
std::string CudaOpText(ir::Op op, ir::Type computes, const std::vector<std::string>& operands);

/// An operand in C++: a scalar, or a vector.
struct CpuOperand {
  std::string text;
  bool is_vector = false;
};

/// The same in C++. Where any operand is a vector of `lanes`, so is the value. The condition of a
/// kSelect that is a vector has elements as wide as those of its value (CpuCondition()).
CpuOperand CpuOpText(ir::Op op, ir::Type computes, const std::vector<CpuOperand>& operands,
                     std::uint32_t lanes);

/// ConvertText() of scalars and vectors.
CpuOperand CpuConvert(const CpuOperand& operand, ir::Type from, ir::Type to, std::uint32_t lanes);

/// A condition of type `from` for a kSelect that is evaluated in `computes`.
CpuOperand CpuCondition(const CpuOperand& operand, ir::Type from, ir::Type computes,
                        std::uint32_t lanes);

/// "_f64": what names of vectors and of what works on them end in; empty for f32.
std::string VectorSuffix(ir::Type type);

/// "vec8_f64": a vector of ElementName(type).
std::string VectorName(ir::Type type, std::uint32_t lanes);

/// The operand, of a compute type, as a vector.
std::string AsVector(const CpuOperand& operand, ir::Type type, std::uint32_t lanes);

/// Is it a function of the mathematical library?
bool IsFunction(ir::Op op, ir::Type computes);

}  // namespace exh::kernels::codegen
