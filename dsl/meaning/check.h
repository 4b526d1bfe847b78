// SPDX-License-Identifier: MIT
#pragma once

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/spec.h"

namespace exh::dsl {

/// The rules that need no syntax, only meaning: one function per rule in check.cc, one section of
/// docs/dsl.md, at least one case in tests/dsl/invalid. The spec may hold -1 for what is reported
/// already.
void CheckSpec(const Spec& spec, DiagnosticSink& sink);

}  // namespace exh::dsl
