// SPDX-License-Identifier: MIT
#pragma once

#include "lsp/answers/params.h"
#include "lsp/workspace.h"

namespace exh::lsp {

/// What is wrong or doubtful in a document, as `textDocument/publishDiagnostics` tells it. A
/// mistake in an included file that is not open is told at the `include` that leads to it.
Json DiagnosticsOf(const AskedPlace& place, const Workspace& workspace);

}  // namespace exh::lsp
