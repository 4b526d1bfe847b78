// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "dsl/diagnostics/diagnostic.h"
#include "functional/syntax/ast.h"

namespace exh::functional {

/// The statements of a file of `sink.sources()`. A statement with a mistake is reported and left
/// out; the next one begins with its word, first on its line.
File Parse(std::uint32_t file, dsl::DiagnosticSink& sink);

/// Whether the text is a word that begins a statement where it stands first on its line.
bool BeginsStatement(std::string_view text);

}  // namespace exh::functional
