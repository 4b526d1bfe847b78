// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "search/exchange/exh_formula.h"
#include "search/exchange/tuning_problem.h"

namespace exh::search {

/// What decides each parameter, in their order. Throws UsageError for what a choice cannot be.
std::vector<ParameterChoice> ChoicesOf(const TuningProblem& problem);

/// A tuning problem as `.exh`: a choice for each parameter, a requirement for each restriction.
/// Names that the language does not have stand in doc comments (exh_names.h). Throws UsageError for
/// what it has no words for: more than 64 values that are no whole numbers from 0 on, numbers that
/// are too large, a restriction that neither terms nor a table say.
std::string ExhTextOf(const TuningProblem& problem);

}  // namespace exh::search
