// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace exh::dsl {

/// What is wrong with the diagnostics of a text that says itself which ones it must cause: a line
/// with `// expected-error {{part of the message}}` (or warning, note; `@+1`, `@-2` shift the line)
/// must get exactly that, and no line may get anything else. One sentence per deviation; empty when
/// all is as expected. `path` is what the text is called; its includes are looked up beside it.
std::vector<std::string> VerifyDiagnostics(const std::string& path, const std::string& text);

/// The parts of a text between lines `// -----`, each preceded by newlines so that lines keep their
/// numbers.
std::vector<std::string> SplitCases(const std::string& text);

/// The whole of a file; a failed check when it cannot be read.
std::string ReadFile(const std::string& path);

/// All files in `folder` (below the source folder) whose name ends in `.exh`, sorted.
std::vector<std::string> ExhFiles(const std::string& folder);

}  // namespace exh::dsl
