// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace exh::lsp {

/// The texts of the tree that end so and have no mistakes, by path, tests of mistakes left out.
std::vector<std::string> FilesOfTheTree(std::string_view suffix);

std::string ReadWhole(const std::string& path);

}  // namespace exh::lsp
