// SPDX-License-Identifier: MIT
//
// The file of a user as the compiler gets it. The driver finds a kernel by its name as C has it, so
// the kernel needs `extern "C"`: it is put before it where it is missing. Headers that the file
// includes stay as they are, which a bracket of `extern "C"` around all of the file would break.
#pragma once

#include <string>
#include <string_view>

namespace exh::kernels::cuda {

/// The text with `extern "C"` before the kernel `entry`; lines keep their numbers. `path` is what
/// messages call it. Throws UsageError when there is no such kernel, or when it is a template.
std::string WithPlainName(const std::string& text, const std::string& path,
                          const std::string& entry);

/// Lines of the preprocessor before the text; what the compiler says has the text's own lines.
std::string WithDefines(std::string_view defines, const std::string& text);

}  // namespace exh::kernels::cuda
