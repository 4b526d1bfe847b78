// SPDX-License-Identifier: MIT
//
// What helps somebody to write: what could stand here, the style of the tree, colours.
#pragma once

#include "lsp/answers/params.h"
#include "lsp/workspace.h"

namespace exh::lsp {

/// What could stand at the place, in a list of items that replace the word there.
Json CompletionAt(const AskedPlace& place);

/// Edits that put the document in the style of the tree; null where its language has no formatter.
/// Throws where a mistake forbids it.
Json FormattingOf(const AskedPlace& place);

/// The kinds of words that ColoursOf tells, and what else it says of them.
Json ColourLegend();
/// Words of the language and names, as `textDocument/semanticTokens/full` tells them. Numbers, code
/// and comments are coloured by grammars.
Json ColoursOf(const AskedPlace& place);

}  // namespace exh::lsp
