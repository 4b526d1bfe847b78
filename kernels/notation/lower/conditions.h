// SPDX-License-Identifier: MIT
//
// What comparisons of indices are known to be at given sizes: a mask that hides everything, or a
// range without a step, is hardly meant.
#pragma once

#include <optional>
#include <string>

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/notation/lower/operand.h"
#include "kernels/notation/resolve.h"

namespace exh::kernels::notation {

/// Of a condition that is made of comparisons of sums of indices of the scope: whether it holds at
/// all of their steps, or at none; else nothing.
std::optional<bool> TruthOf(const Expr& condition, const ResolvedKernel& resolution,
                            const Scope& scope);

/// What a user is told of a condition that holds at no step; nothing of all others. `sink` has the
/// text.
std::optional<std::string> NoteOfCondition(const Expr& condition, const ResolvedKernel& resolution,
                                           const Scope& scope, const dsl::DiagnosticSink& sink);

}  // namespace exh::kernels::notation
