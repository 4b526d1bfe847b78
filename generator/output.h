// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace exh::generator {

/// Makes the file at `path` hold `text`, by way of a temporary file beside it, so that nobody sees
/// half of it; folders are made as needed. A file that holds the text already keeps its time stamp.
/// On failure returns false and sets `error` to one line.
bool WriteIfChanged(const std::string& path, const std::string& text, std::string* error);

/// A make rule: `targets` depend on `sources`. Blanks and `#`, `$` are escaped.
std::string DepfileText(const std::vector<std::string>& targets,
                        const std::vector<std::string>& sources);

}  // namespace exh::generator
