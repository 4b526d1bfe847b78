// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/name_uses.h"
#include "dsl/spec.h"
#include "dsl/syntax/ast.h"

namespace exh::dsl {

/// Names, subset chains, parameters and types: the tree of all files to a checked Spec (its `files`
/// are left empty). The order of declarations does not matter. `terms` stand beside the space:
/// Spec::terms. Empty when the sink has an error. What names stand for goes to `names`, unless that
/// is null, also where there is an error elsewhere.
std::optional<Spec> Resolve(const ast::File& file, const std::vector<ast::ObjectiveDecl>& terms,
                            DiagnosticSink& sink, NameUses* names = nullptr);

}  // namespace exh::dsl
