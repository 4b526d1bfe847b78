// SPDX-License-Identifier: MIT
#pragma once

#include "search/measure/evaluator.h"

namespace exh::search {

/// Measures what was compiled, as something that is going to be believed. What is faster than
/// `least_ns`, which nothing can be, is measured again with every check: it is kImpossible when
/// that confirms it, and an accident otherwise.
kernels::Measurement MeasurePossible(Evaluator& evaluator, const kernels::Compiled& compiled,
                                     double least_ns);

}  // namespace exh::search
