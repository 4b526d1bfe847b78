// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "generator/generator.h"

namespace exh::generator {

/// Makes the file at `path` hold `text`, by way of a temporary file beside it, so that nobody sees
/// half of it; folders are made as needed. A file that holds the text already keeps its time stamp.
/// On failure returns false and sets `error` to one line.
bool WriteIfChanged(const std::string& path, const std::string& text, std::string* error);

/// Makes each of `files` stand behind `prefix`, as WriteIfChanged() does. Unless `depfile` is empty
/// that file gets the rule that they depend on `sources`, all by their absolute paths.
bool WriteAll(const std::vector<GeneratedFile>& files, const std::string& prefix,
              const std::string& depfile, const std::vector<std::string>& sources,
              std::string* error);

/// A make rule: `targets` depend on `sources`. Blanks and `#`, `$` are escaped.
std::string DepfileText(const std::vector<std::string>& targets,
                        const std::vector<std::string>& sources);

}  // namespace exh::generator
