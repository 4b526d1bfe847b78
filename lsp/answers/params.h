// SPDX-License-Identifier: MIT
//
// What an editor sends, read with care: what is missing or of another kind is said by an error that
// names it (kInvalidParams).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lsp/text/documents.h"
#include "lsp/text/positions.h"

namespace exh::lsp {

using Json = nlohmann::json;

/// A member of an object.
const Json& MemberOf(const Json& object, const char* name);
/// Null where it is missing.
const Json* FindMember(const Json& object, const char* name);
std::string TextOf(const Json& object, const char* name);
std::int64_t NumberOf(const Json& object, const char* name);

/// `params.textDocument.uri`.
std::string UriOf(const Json& params);
/// `{"line": 3, "character": 5}`.
EditorPosition PositionOf(const Json& position);
/// `params.contentChanges`.
std::vector<TextChange> ChangesOf(const Json& params);

Json JsonOf(EditorPosition position);

}  // namespace exh::lsp
