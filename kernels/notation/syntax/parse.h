// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/diagnostics/source.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// The kernel in file `file` of `sink.sources()`: `kernel NAME`, lines, `end`. What is wrong is in
/// the sink; a line with a mistake in its syntax is left out, so that one mistake does not hide the
/// next.
Kernel ParseKernel(std::uint32_t file, dsl::DiagnosticSink& sink);

/// The same as it is written: words of options are names, and values that are read with two indices
/// at one place are stated once (option_words.h, restated.h).
Kernel WrittenKernel(std::uint32_t file, dsl::DiagnosticSink& sink);

/// A word of a text or a comment: all that it is made of but blanks, line breaks and semicolons.
struct Word {
  SourceRange range;     ///< Of a comment: up to the end of its line, blanks included.
  bool is_name = false;  ///< And no reserved word.
  bool begins_line =
      false;       ///< The first word of what the parser reads as one line; a doc comment.
  int breaks = 0;  ///< Before it: 0; 1; 2 when there is an empty line among them.
};

/// What file `file` of `sources` is made of, in order, whether it is a kernel or not.
std::vector<Word> WordsOf(std::uint32_t file, const dsl::SourceSet& sources);

/// Is the text a name, and no reserved word?
bool IsName(const std::string& text);

/// Statements alone, one a line or with semicolons between them: what a command line holds.
std::vector<Statement> ParseStatements(std::uint32_t file, dsl::DiagnosticSink& sink);

}  // namespace exh::kernels::notation
