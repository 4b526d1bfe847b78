// SPDX-License-Identifier: MIT
//
// Ranges of an analysis as editors write them.
#pragma once

#include <string>

#include "lsp/answers/params.h"
#include "lsp/workspace.h"

namespace exh::lsp {

Json JsonOf(const Analysis& analysis, dsl::SourceRange range);

/// How the editor calls a file of an analysis, open or not.
std::string UriOf(const Analysis& analysis, std::uint32_t file, const Workspace& workspace);

/// A file and a range in it.
Json LocationOf(const Analysis& analysis, dsl::SourceRange range, const Workspace& workspace);

}  // namespace exh::lsp
