// SPDX-License-Identifier: MIT
//
// Operators as text. Both printers take them from here: an operator is printed once.
#pragma once

#include <string>
#include <vector>

#include "kernels/ir/function.h"

namespace exh::kernels::codegen {

/// The operator of its operands, which are names, literals, calls or elements, in CUDA C++.
std::string CudaOpText(ir::Op op, const std::vector<std::string>& operands);

/// An operand in C++: a float, or a vector of them.
struct CpuOperand {
  std::string text;
  bool is_vector = false;
};

/// The operator in C++. Where any operand is a vector of `lanes`, so is the value.
CpuOperand CpuOpText(ir::Op op, const std::vector<CpuOperand>& operands, std::uint32_t lanes);

/// The operand as a vector.
std::string AsVector(const CpuOperand& operand, std::uint32_t lanes);

/// Is it a function of the mathematical library, which takes vectors lane by lane (`each`)?
bool IsFunction(ir::Op op);

}  // namespace exh::kernels::codegen
