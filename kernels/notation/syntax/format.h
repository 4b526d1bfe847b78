// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "dsl/diagnostics/diagnostic.h"

namespace exh::kernels::notation {

/// The text of a `.kernel` file in the style of the tree: `kernel` and `end` in the first column
/// and two blanks before what stands between, one blank around operators, a line for each
/// statement, at most one empty line in a row. Line breaks in a line and comments stay where they
/// are. The words, and so the meaning, never change, and formatting the result changes nothing.
/// `sink` is empty before; nothing when the syntax is wrong, which it says then. `path` is what
/// messages call the text.
std::optional<std::string> FormatKernel(const std::string& path, const std::string& text,
                                        dsl::DiagnosticSink& sink);

/// The same for who has no sink: what is wrong is in `messages`, as people read it.
std::optional<std::string> FormatKernel(const std::string& path, const std::string& text,
                                        std::string* messages);

}  // namespace exh::kernels::notation
