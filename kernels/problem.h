// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/stop.h"
#include "kernels/cpu/problem_set.h"
#include "kernels/derived/expression.h"
#include "kernels/task.h"

namespace exh::kernels {

/// Inputs drawn from `seed`, and every output's reference and tolerance in double precision. What
/// is computed with integers alone is tolerated no error, whatever the inputs. Uniform ones of
/// another seed than kTimedSeed come with other scalars, too (ProblemData::scalars), where the
/// reference is derived: a number in the place of one shows. Inputs that reach a cast to an integer
/// are such that it has a place for them, where any are. Empty
/// when `stop` was stopped before they were computed (kernels/derived/reference/stoppable.h).
ProblemData MakeProblem(const Task& task, std::uint64_t seed, Inputs inputs = Inputs::kUniform,
                        const StopToken* stop = nullptr);

/// The same of a computation that is no kernel. It has no scalars.
ProblemData MakeProblem(const derived::Expression& expression, std::uint64_t seed,
                        Inputs inputs = Inputs::kUniform, const StopToken* stop = nullptr);

/// Bytes that MakeProblem and a run need at their peak, of something with these arrays.
std::uint64_t ProblemBytes(const std::vector<ir::Array>& arrays);

/// The arrays of a problem as processes that check see them; they stay in `data`.
cpu::Problem ViewOf(const std::vector<ir::Array>& arrays, const ProblemData& data);

}  // namespace exh::kernels
