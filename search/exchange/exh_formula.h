// SPDX-License-Identifier: MIT
//
// A restriction in Python becomes formulas of `.exh` that hold for the same values. There are two
// ways. What asks for one parameter alone is tried for each of its values, and becomes a test. What
// calculates with whole numbers becomes terms: `//` is `div`, `/` is exact. A float of Python is
// not exact, so where `/` or a fraction occurs, all combinations are calculated both ways; so they
// are where a divisor may be 0. Where the two differ, and where a parameter is no whole number, the
// restriction is written out as the combinations that it allows. A combination for which Python
// would raise an error is not allowed.
#pragma once

#include <string>
#include <vector>

#include "search/exchange/tuning_problem.h"

namespace exh::search {

/// How a parameter is decided.
struct ParameterChoice {
  std::string name;
  bool is_enum = false;
  PythonList values;               ///< Of a choice of numbers ascending.
  std::vector<std::string> words;  ///< Of the values, as `is` takes them.
};

/// All of them must hold. `choices` are those of the parameters. Throws UsageError when it can be
/// said in neither way.
std::vector<std::string> FormulasOf(const TuningRestriction& restriction,
                                    const std::vector<ParameterChoice>& choices);

}  // namespace exh::search
