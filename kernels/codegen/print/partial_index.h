// SPDX-License-Identifier: MIT
//
// Numbers of partial results as text: in which place of an array a thread finds its own.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/plan/combine_plan.h"
#include "kernels/codegen/print/code_names.h"

namespace exh::kernels::codegen {

std::string Digits(std::uint64_t value);

/// "i_m0 * 4 + i_n0", a mixed radix number; empty for none.
std::string IndexOver(const std::vector<int>& classes, const LoopTree& tree,
                      const CodeNames& names);
/// The same of digits of the thread index, fastest first.
std::string IndexOver(const std::vector<ThreadDigit>& digits, std::uint32_t threads);

std::vector<ThreadDigit> Joined(std::vector<ThreadDigit> a, const std::vector<ThreadDigit>& b);

/// "(a) * 4 + b": terms with their factors; those that are 0 are left out. Empty for none.
std::string SumText(const std::vector<std::pair<std::string, std::uint64_t>>& terms);

}  // namespace exh::kernels::codegen
