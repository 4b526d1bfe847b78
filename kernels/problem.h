// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
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

/// Which part of the results of a kernel these references are of, where all of them would take too
/// long (derived/reference/programs/sample.h): "1 in 32 of the 8192 values of i, …". Empty: all of
/// them. Another part of each problem. Elements that are not in it have to be numbers, or may be
/// anything where results need not be numbers.
std::string SampleText(const Task& task);

/// A problem of a computation that is no kernel. It has no scalars, and whole references.
ProblemData MakeProblem(const derived::Expression& expression, std::uint64_t seed,
                        Inputs inputs = Inputs::kUniform, const StopToken* stop = nullptr);

/// Bytes that MakeProblem and a run need at their peak, of something with these arrays.
std::uint64_t ProblemBytes(const std::vector<ir::Array>& arrays);

/// The arrays of a problem as processes that check see them; they stay in `data`.
cpu::Problem ViewOf(const std::vector<ir::Array>& arrays, const ProblemData& data);

}  // namespace exh::kernels
