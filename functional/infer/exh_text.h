// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "dsl/diagnostics/diagnostic.h"
#include "functional/meaning/program.h"

namespace exh::functional {

/// Drops what always holds and what is said twice. False: something never holds, which is in
/// `sink`.
bool Simplify(Program& program, dsl::DiagnosticSink& sink);

/// The parameters as choices and the requirements on them as `.exh`, each with the place in the
/// program that it comes from.
std::string ExhText(const Program& program, const dsl::SourceSet& sources);

}  // namespace exh::functional
