// SPDX-License-Identifier: MIT
//
// What is asked of a name: what it is, where it is declared, where else it stands, another name for
// it. Null where no name stands.
#pragma once

#include <string>

#include "lsp/answers/params.h"
#include "lsp/workspace.h"

namespace exh::lsp {

Json HoverAt(const AskedPlace& place);
/// Of a name where it is declared, of an `include` the file.
Json DefinitionAt(const AskedPlace& place, const Workspace& workspace);
/// A list of all places, that of the declaration if it is wanted.
Json ReferencesAt(const AskedPlace& place, bool with_declaration, const Workspace& workspace);
/// The same in the document alone.
Json HighlightsAt(const AskedPlace& place);
/// The range of a name that can be changed, and how it is now.
Json RenameableAt(const AskedPlace& place);
/// The edits, in all files of all spaces that have the name. Throws where the new name is none, is
/// taken, or would make mistakes.
Json Renamed(const AskedPlace& place, const std::string& name, Workspace& workspace);

/// The declarations of the document, values below their choices.
Json OutlineOf(const AskedPlace& place);

}  // namespace exh::lsp
