// SPDX-License-Identifier: MIT
//
// Operands on their way from a text to a backbone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/ir/builder.h"
#include "kernels/ir/ops.h"
#include "kernels/notation/resolve.h"
#include "kernels/notation/typed.h"

namespace exh::kernels::notation {

using Scope = std::vector<const Index*>;

/// An operand: a number, a scalar argument, or what an instruction computes.
struct TextOperand {
  bool is_number = true;
  Typed typed;
  std::string scalar;  ///< Of a number: its name, where it is an argument.
  ir::Value value;
  Scope axes;  ///< In the order of the scope.
  bool is_load = false;
  bool is_index = false;  ///< The value of an index, which is made where it is read.
  bool has_sum = false;   ///< A reduction is behind it.

  bool is_constant() const { return is_number && scalar.empty(); }
};

TextOperand OperandOf(const ir::Number& number);

/// Do the axes have that of an index?
bool Has(const Scope& axes, const Index* index);
/// The axes of all operands, in the order of the scope.
Scope Union(const std::vector<TextOperand>& operands, const Scope& scope);

/// What an instruction is known by; empty: by nothing.
using OperandKey = std::vector<std::int64_t>;
/// … or this operator of these operands, at this depth of reductions. Of scalars there is no key.
OperandKey KeyOf(ir::Op op, std::optional<ir::Type> type, int depth,
                 const std::vector<TextOperand>& operands);

/// The axes of a reduction, and those that its result keeps.
struct ReductionNest {
  Scope axes, kept;
};
/// Of a reduction over `own`. Its inputs may lack some of these: where an array has stride 0, or
/// strides cancel out, all terms along an index are the same, and are taken as often.
ReductionNest NestOf(const std::vector<TextOperand>& inputs, const Scope& own, const Scope& scope);

/// As an input of an instruction over the axes of `reader`.
ir::Input Connect(const TextOperand& operand, const Scope& reader);

/// Of what the operator is evaluated of: without the condition of a choice.
std::vector<Typed> TypesOf(ir::Op op, const std::vector<TextOperand>& operands);
/// The type that they have in common. CheckTypes() has seen to it that there is one.
ir::Type Common(const std::vector<Typed>& types);

/// The operator of numbers that are known.
TextOperand Folded(ir::Op op, const std::vector<TextOperand>& operands);

}  // namespace exh::kernels::notation
