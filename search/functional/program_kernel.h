// SPDX-License-Identifier: MIT
//
// A functional program as a kernel: what --kernel takes, too.
#pragma once

#include <string>
#include <string_view>

namespace exh::search {

/// "program.fun".
bool IsProgram(std::string_view path);

/// What the program computes as the text of a kernel (docs/kernels.md). `size`: its sizes, limits
/// and parameters, as --size has them; what a parameter is makes no difference, and one without a
/// value gets some that the program allows. Throws UsageError with what is wrong in the file, and
/// where the program is no kernel.
std::string KernelOfProgram(const std::string& path, const std::string& size);

}  // namespace exh::search
