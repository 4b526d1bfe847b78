// SPDX-License-Identifier: MIT
//
// Types, their numbers and their conversions in C++ and CUDA C++. All texts take them from here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/ir/number.h"
#include "kernels/ir/types.h"

namespace exh::kernels::ir {

/// What a text is in. Derived sources and printers name it by the same word.
enum class Dialect : std::uint8_t {
  kCpp,
  kCuda,
  kHip,
  kOpenCl,
  kDouble,  ///< C++ that computes in double, also with integers; <cmath> and <cstdint> are
            ///< included.
};

/// `text` as a value of the type: "static_cast<float>(x)", in OpenCL C "(float)(x)".
std::string CastTo(std::string_view type, const std::string& text, Dialect in = Dialect::kCpp);

/// A variable that holds values of the type, in what it is computed in: "float" for f16, "int" for
/// i8 and bool.
std::string_view RegisterName(Type type, Dialect in = Dialect::kCpp);

/// Name of an element in memory: "double", "float", "unsigned short" (the bits of f16 and bf16),
/// "long long", "int", "unsigned", "signed char", "unsigned char" (bool, and the bits of f8e4m3 and
/// f8e5m2); in OpenCL C one word each: "ushort", "long", "uint", "char", "uchar".
std::string_view ElementName(Type type, Dialect in = Dialect::kCpp);

/// Numbers without a sign: "unsigned", or "unsigned long long" where int is too small.
std::string_view UnsignedName(bool is_large, Dialect in);
/// What literals of 64 bits end in: "ll", in OpenCL C "l".
std::string_view LongSuffix(Dialect in);

/// A literal of what the type is computed in that reads back as exactly `value`; of an integer, as
/// what the type makes of it; in kDouble a double. Negative ones stand in parentheses.
std::string NumberText(double value, Type type, Dialect in);
/// The same of an integer beyond what a double has, too.
std::string NumberText(const Number& number, Type type, Dialect in);

/// What an array of scalars holds (Number::Cell()) of a variable of the type, as a double; and such
/// an element as a value of the type: "static_cast<double>(s)", "static_cast<int>(scalars[0])". Of
/// an i64 both have its bits.
std::string ToCellText(const std::string& variable, Type type);
std::string FromCellText(const std::string& cell, Type type);

/// What stands before a function that kernels, or other functions, call.
std::string_view FunctionHead(Dialect in);

}  // namespace exh::kernels::ir
