// SPDX-License-Identifier: MIT
//
// What a program calculates, in double precision, and how far off a float may be. The program is
// interpreted: nothing here knows how a device runs it, nor how references are made
// (functional/expression), which it is an oracle of.
//
// Each number has a bound on the error that a calculation in floats may have made: what its
// operands were off by, and 2^-24 of the result for each rounding. Where additions and
// multiplications are fused there are fewer roundings. Inputs have no error. A constant that is no
// float is off by what rounding makes of it. What comes of exact numbers, and would in any order,
// is exact. The tolerance is 4 * error + 1e-30, and 0 of what is exact.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "functional/meaning/program.h"

namespace exh::functional {

/// Numbers of an array, its elements in row-major order, lanes of vectors innermost.
struct Reference {
  std::vector<double> values;
  std::vector<double> tolerances;  ///< Infinite: anything may come of it.
};

struct ArrayFacts {
  std::string name;
  std::int64_t elements = 0;  ///< Numbers, so each lane counts.
};

/// The results of all kernels, in the order of the program. `inputs`: by name, flat, row-major;
/// values are floats held in doubles. What a later kernel reads of an earlier one is rounded to
/// float first. Throws exh::Error when a user function is known by its type alone, a length cannot
/// be evaluated or does not fit, an input is missing, or an input or result is no array of floats
/// or vectors of floats. Requirements are not looked at otherwise.
std::vector<Reference> Calculate(const Program& program, const Assignment& parameters,
                                 const std::map<std::string, std::vector<double>>& inputs);

}  // namespace exh::functional
