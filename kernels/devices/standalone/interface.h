// SPDX-License-Identifier: MIT
//
// What a caller of an implementation sees: parameters, and what the arrays are, in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/devices/standalone/names.h"
#include "kernels/task.h"

namespace exh::kernels::standalone {

inline bool IsOutput(const ir::Array& array) {
  return array.role == ir::ArrayRole::kOutput;
}

/// Elements, in the plural: "floats".
std::string_view Plural(ir::Type type);

/// Pointers to the arrays, then scalars, as a C function takes them: "const float* a".
std::vector<std::string> ArrayParameters(const ir::Function& function, const Names& names);
std::vector<std::string> ScalarParameters(const ir::Function& function, const Names& names);

/// A line for each array: "a: [64, 32], 2048 floats, aligned to 16 bytes". A kernel that is C++
/// has no shapes (Kernel::Layouts).
std::vector<std::string> ArrayLines(const Task& task, const Names& names);

}  // namespace exh::kernels::standalone
