// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace exh::generator {

/// `exhc fmt`: rewrites those of `files` that are not in the style of dsl/syntax/format.h; `-` is
/// standard input, whose formatted text goes to standard output. With `check` nothing is written
/// and each file that differs is named. A file that cannot be read, or has a mistake of syntax, is
/// reported with its position and left alone. Returns 2 for what
/// cannot be read, 1 for a mistake of syntax and when `check` finds a difference, otherwise 0.
int FormatFiles(const std::vector<std::string>& files, bool check);

}  // namespace exh::generator
