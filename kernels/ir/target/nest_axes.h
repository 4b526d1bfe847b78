// SPDX-License-Identifier: MIT
//
// Questions about the axes of a nest: which there are, and how values move along them. A product
// c[m, n] = sum(k) a[m, k] * b[k, n] has the result axes m and n, and the reduced axis k; what
// hands over a pairs its axes with m and k, and moves along no n.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ir/function.h"

namespace exh::kernels::ir {

/// The innermost level of an axis.
inline int LastLevel(const LogicalDim& axis) {
  return static_cast<int>(axis.dims.size()) - 1;
}
/// One of the levels of an axis, counted from the outermost one, 0.
inline const Dimension& LevelOf(const Function& function, const LogicalDim& axis, int level) {
  return function.dim(axis.dims[static_cast<std::size_t>(level)]);
}
/// May the level have this size?
bool HasSize(const Dimension& dim, std::uint32_t size);

/// Axes of an instruction's nest, in the order in which it declares them: all of them, those of its
/// result, and those that it reduces.
std::vector<const LogicalDim*> AxesOf(const Function& function, const Instruction& inst);
std::vector<const LogicalDim*> ResultAxes(const Function& function, const Instruction& inst);
std::vector<const LogicalDim*> ReducedAxes(const Function& function, const Instruction& inst);
bool IsReduced(const Function& function, const LogicalDim& axis);

/// The only reduction of a backbone; null: it has none, or several.
const Instruction* OnlyReduction(const Function& function);
/// The same if it is a sum of products.
const Instruction* OnlySumOfProducts(const Function& function);

/// What hands over the operands of an instruction, but for a reduction's first value.
std::vector<const Communication*> OperandsOf(const Function& function, const Instruction& inst);
/// The producer's axis that a communication pairs with one of its consumer's; null: there is none,
/// and the value is the same all along the axis.
const LogicalDim* ProducersAxis(const Function& function, const Communication& comm,
                                const LogicalDim& axis);

}  // namespace exh::kernels::ir
