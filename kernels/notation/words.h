// SPDX-License-Identifier: MIT
//
// Words with a meaning in kernels as text: types, operators, functions, reductions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/function.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

struct FunctionInfo {
  std::string_view word;
  int arguments;
};

/// Nothing when there is no function of that name.
std::optional<FunctionInfo> FunctionOf(std::string_view word);
/// Is it "sum", "prod", "min", "max", "any", "all", "argmin" or "argmax"?
bool IsReduction(std::string_view word);
/// Is it "argmin" or "argmax"?
bool IsArgReduction(std::string_view word);
/// What accumulates: of "sum" kAdd, of "any" kMax. Not of those with an "arg".
ir::Op OpOfReduction(std::string_view word);
std::vector<std::string> ReductionWords();
/// Those, and all functions.
std::vector<std::string> CallWords();

/// Whether a call is written as an operator: "+", "<", "and"; "neg" is the sign.
bool IsOperatorWord(std::string_view word);
/// The operator whose types a call has, by its sign or word; "<=" is a "<", and "%" a "/".
std::optional<ir::Op> OpOfCall(std::string_view word);

/// Does the index of that name stand in the expression?
bool Mentions(const Expr& expr, const std::string& index);

/// Why nothing can have this type; empty: there is such a type.
std::string ProblemOfType(const std::string& type);
/// A type that there is; where none is said, `otherwise`.
ir::Type TypeOfName(const Name& type, ir::Type otherwise = ir::Type::kF32);

}  // namespace exh::kernels::notation
