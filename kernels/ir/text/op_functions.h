// SPDX-License-Identifier: MIT
//
// Operators that C++ and CUDA C++ have no sign for: extremes in which a NaN wins, and arithmetic
// on integers with a sign that wraps around. They are functions, whose text stands before the text
// that calls them. All printers take both from here.
//
// Extremes: a NaN among the operands is the result, as in NumPy and ONNX. The form for processors
// is a comparison and an extreme as their instructions have it, which compilers make vectors of;
// GPUs have an instruction. Which of two zeros is the larger one nobody says.
//
// Integers: what overflows in C++ has no meaning, and compilers use that. So it is computed without
// a sign, and has one again in the end.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/ir/text/helper_functions.h"

namespace exh::kernels::ir {

/// "exh_max": the function that is `op`, evaluated in `computes`; empty: the language has a sign
/// or a function of its own for it.
std::string_view OpFunction(Op op, Type computes);

/// "exh_max(a, b)", in OpenCL C "exh_max_f32(a, b)": a call of it, which is noted. Operands are of
/// the type that `computes` is computed in.
std::string OpCall(Op op, Type computes, const std::vector<std::string>& operands,
                   HelperFunctions& in);

/// Those of the functions that are called, as a text. Empty for none.
std::string OpFunctions(const HelperFunctions& called);

/// Those of these names, of vectors of a type that computes, for C++, as lines. `vector` is the
/// name of the vector of `lanes` of the type. Those of scalars, which they may call, are noted in
/// `called`.
std::vector<std::string> VectorOpFunctions(const std::set<std::string_view>& names, Type type,
                                           std::uint32_t lanes, const std::string& vector,
                                           HelperFunctions& called);

}  // namespace exh::kernels::ir
