// SPDX-License-Identifier: MIT
//
// Texts that say themselves which diagnostics they must cause: of spaces (tests/dsl/invalid) and of
// kernels (tests/kernels/notation/invalid).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"

namespace exh::dsl {

/// What is wrong with the diagnostics of a text that says itself which ones it must cause: a line
/// with `// expected-error {{part of the message}}` (or warning, note; `@+1`, `@-2` shift the line)
/// must get exactly that, and no line may get anything else. One sentence per deviation; empty when
/// all is as expected. `path` is what the text is called; `compile` makes it the first file of its
/// sink, and puts there what is wrong with it.
std::vector<std::string> VerifyDiagnostics(
    const std::string& path, const std::string& text,
    const std::function<void(DiagnosticSink& sink)>& compile);

/// The parts of a text between lines `// -----`, each preceded by newlines so that lines keep their
/// numbers.
std::vector<std::string> SplitCases(const std::string& text);

/// The blocks of a Markdown text whose fence is "```" and `language`.
struct FencedBlock {
  int line = 0;  ///< Of the fence.
  std::string text;
};
std::vector<FencedBlock> FencedBlocks(const std::string& markdown, const std::string& language);

/// The whole of a file; a failed check when it cannot be read.
std::string ReadFile(const std::string& path);

/// All files in `folder` (below the source folder) whose name ends in `extension`, sorted.
std::vector<std::string> FilesIn(const std::string& folder, const std::string& extension);

}  // namespace exh::dsl
