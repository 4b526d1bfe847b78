// SPDX-License-Identifier: MIT
//
// A functional program as the computation that references and problems are made of
// (kernels/derived): what kernels of a text are, too.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "functional/meaning/program.h"
#include "kernels/derived/expression.h"

namespace exh::functional {

/// The inputs that some kernel reads, ascending by name, then the results of all kernels, in the
/// order of the program: GpuProgram::arrays. Elements lie in row-major order, lanes of vectors
/// innermost. Throws exh::Error when a parameter has no value, a length has none or does not fit,
/// or when an input or a result is no array of floats or of vectors of floats.
std::vector<kernels::ir::Array> ArraysOf(const Program& program, const Assignment& parameters);

/// The extents of these arrays, by name; lanes of vectors are the last one. Throws as ArraysOf().
std::map<std::string, std::vector<std::int64_t>> ShapesOf(const Program& program,
                                                          const Assignment& parameters);

/// What becomes of results of kernels that later kernels read.
enum class Results : std::uint8_t {
  kStored,
  kInPlace,  ///< They are no results: their values are computed where they are read.
};

/// What all kernels compute. Requirements are not looked at. Throws exh::Error as ArraysOf() does,
/// and when a user function is known by its type alone, or when what a reduction does is no sum,
/// product or extreme and its rounds are too many to be told one by one.
kernels::derived::Expression ExpressionOf(const Program& program, const Assignment& parameters,
                                          Results results = Results::kStored);

}  // namespace exh::functional
