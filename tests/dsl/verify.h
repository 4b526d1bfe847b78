// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tests/dsl/expectations.h"

namespace exh::dsl {

/// The same for the text of a space; its includes are looked up beside it.
std::vector<std::string> VerifyDiagnostics(const std::string& path, const std::string& text);

/// All files in `folder` (below the source folder) whose name ends in `.exh`, sorted.
std::vector<std::string> ExhFiles(const std::string& folder);

}  // namespace exh::dsl
