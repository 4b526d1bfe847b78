// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "dsl/diagnostics/diagnostic.h"

namespace exh::dsl {

/// The diagnostics as gcc prints them, which editors can jump to: `file:line:col: error: text`, the
/// source line, and a run of carets below the bytes that are wrong; then notes the same way.
std::string RenderText(const DiagnosticSink& sink);

/// The same as one JSON array, for tools: objects with severity, file, line, column, end_line,
/// end_column (past the end), message, notes, and included_from where it applies.
std::string RenderJson(const DiagnosticSink& sink);

}  // namespace exh::dsl
