// SPDX-License-Identifier: MIT
//
// Values of parameters that are not listed: what a length is split by is one of its divisors.
#pragma once

#include "dsl/diagnostics/diagnostic.h"
#include "functional/meaning/program.h"

namespace exh::functional {

/// Gives every parameter its values and the terms their bounds. A parameter without a range has the
/// divisors of the lengths that it must divide, for all values of the parameters in those; one with
/// more than 4,096 listed values keeps those that divide. False: mistakes are in `sink`.
bool FindUniverses(Program& program, dsl::DiagnosticSink& sink);

}  // namespace exh::functional
