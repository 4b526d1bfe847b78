// SPDX-License-Identifier: MIT
//
// What dead ends are blamed on, as the space says it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "search/log/log_reader.h"
#include "search/page/again/rebuilt.h"
#include "search/page/script_json.h"

namespace exh::search {

/// The declaration that begins in line `line` (1, 2, 3 …) of a text, with the comment above it; all
/// lines that belong to it are indented more. Empty when there is no such line.
std::string DeclarationAt(std::string_view text, int line);

/// Where `kernels/spaces/dims.exh` may be for a program that lies in this folder: among the
/// installed files, and in the tree.
std::vector<std::string> SpacePaths(const std::string& program_folder, const std::string& file);

/// The member "requirements": of each label that a dead end has, and that the space still has, its
/// place and its text. The text is empty where the file is not there. `dead_ends`: the labels of
/// those that were met; the end of a log may name others.
void WriteRequirements(const std::set<std::string>& dead_ends, const Log& log,
                       const Rebuilt& rebuilt, ScriptJson& json);

}  // namespace exh::search
