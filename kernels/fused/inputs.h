// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/stop.h"
#include "kernels/fused/graph/graph.h"
#include "kernels/fused/statements.h"

namespace exh::kernels::fused {

/// Elements of every input, by tensor; nothing of other tensors. Drawn from `seed` so that
/// operators have something to do: what becomes the operand of a logarithm, a root or a power, or a
/// divisor, is positive as far as the signs of inputs decide that; positions of OneHot are mostly
/// inside. Others are floats from [-1, 1], small integers, and bools of both kinds. Throws
/// Interrupted when `stop`, which may be null, is stopped.
std::vector<std::vector<double>> DrawInputs(const Graph& graph, std::uint64_t seed,
                                            const StopToken* stop = nullptr);

/// How large whole numbers are drawn.
struct WholeRange {
  int element = 1;  ///< Floats that nothing sums over are ±1 … ±element.
  int summed = 1;   ///< Others.
  /// Integers have all bits of their type (of an i64 26), the extremes among them; else they are
  /// ±1 … ±9.
  bool wide_integers = false;
};

/// Whole numbers, none of them 0, with the signs that DrawInputs() gives them, and bools. `list`:
/// the operator's statements, by the tensors of the graph; what they reduce is summed over. Throws
/// as DrawInputs() does.
std::vector<std::vector<double>> DrawWholeInputs(const Graph& graph, const StatementList& list,
                                                 std::uint64_t seed, const WholeRange& range,
                                                 const StopToken* stop = nullptr);

/// Which special values.
enum class SpecialKinds : std::uint8_t {
  kAll,
  kNotFinite,  ///< NaN and infinities alone.
};

/// Makes some elements of inputs that are floats special, as kernels/derived/reference has it.
/// False: there are none.
bool MakeInputsSpecial(const Graph& graph, const StatementList& list, std::uint64_t seed,
                       SpecialKinds kinds, std::vector<std::vector<double>>& inputs);

}  // namespace exh::kernels::fused
