// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/name_uses.h"
#include "dsl/spec.h"
#include "dsl/syntax/ast.h"

namespace exh::dsl {

/// Every `$name` of a snippet as a whole word, in order of appearance; `variable` is not set yet.
/// A `$` that no letter, digit or `_` follows is ordinary text.
std::vector<SnippetVariable> FindVariables(std::string_view text);

/// The snippet with its variables resolved: a name is one of `words` (`fun`, `id`, …, without `$`)
/// or a variable of `scope`; anything else is reported at its place in the file. Uses of variables
/// go to `names`, unless that is null.
Snippet ResolveSnippet(const ast::Code& code, const std::vector<std::string>& words,
                       const std::vector<Variable>& scope, DiagnosticSink& sink,
                       NameUses* names = nullptr);

/// The snippet for use in another scope: its variables are the `arguments` of `scope`.
Snippet Renamed(const Snippet& snippet, const std::vector<int>& arguments,
                const std::vector<Variable>& scope);

}  // namespace exh::dsl
