// SPDX-License-Identifier: MIT
//
// Words with a meaning in kernels as text: types, functions, reductions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exh::kernels::notation {

struct FunctionInfo {
  std::string_view word;
  int arguments;
};

/// Nothing when there is no function of that name.
std::optional<FunctionInfo> FunctionOf(std::string_view word);
/// Is it "sum", "prod", "min", "max", "any" or "all"?
bool IsReduction(std::string_view word);
std::vector<std::string> ReductionWords();
/// Those, and all functions.
std::vector<std::string> CallWords();

/// Why arrays and scalars cannot have this type; empty: they can.
std::string ProblemOfType(const std::string& type);

}  // namespace exh::kernels::notation
