// SPDX-License-Identifier: MIT
//
// Functional programs (docs/functional.md) from a command line.
#pragma once

#include <string>

#include "dsl/diagnostics/diagnostic.h"
#include "functional/meaning/elaborate.h"

namespace exh::search {

/// The parameters and requirements of the program at `path` as `.exh`. `size`: the text of --size.
/// Throws UsageError with all messages when something is wrong.
std::string ConstraintsOf(const std::string& path, const std::string& size);

/// The text of --size. Throws UsageError.
functional::Given GivenOf(const std::string& size);

/// What is wrong with a program, for people.
std::string MistakesOf(const dsl::DiagnosticSink& sink);

}  // namespace exh::search
