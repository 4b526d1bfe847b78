// SPDX-License-Identifier: MIT
//
// Functions of the mathematical library, and the same of vectors for processors. glibc has exp,
// log, pow, tanh and erf of whole registers (libmvec, within 4 units in the last place); a compiler
// calls them only where it may compute with floats as it likes. So the text declares them itself.
// Where there is none, and for vectors of other lengths, each lane is a call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/ir/text/type_text.h"

namespace exh::kernels::ir {

/// Name of the function of doubles in C and CUDA, that of floats without its f; empty: it is no
/// function of the mathematical library.
std::string_view MathFunction(Op op, Type computes);

/// "exp" of a double, "expf" of a float; in OpenCL C "exp" of both.
std::string MathName(Op op, Type computes, Dialect in = Dialect::kCpp);

/// "exh_exp(x)": a call of the function of vectors.
std::string VectorMathCall(Op op, Type computes, const std::vector<std::string>& operands);

/// The function of vectors for C++, as lines. `vector` is the name of the vector of `lanes` of what
/// is computed in. Of a text they are in front of which there is kVectorMathHead.
std::vector<std::string> VectorMathFunction(Op op, Type computes, std::uint32_t lanes,
                                            const std::string& vector);

/// Says which library there is.
inline constexpr const char* kVectorMathHead[] = {
    "#if __has_include(<features.h>)",
    "#include <features.h>",
    "#endif",
};

}  // namespace exh::kernels::ir
