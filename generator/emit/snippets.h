// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "dsl/spec.h"
#include "generator/code_writer.h"
#include "generator/plan/plan.h"

namespace exh::generator {

/// The snippet as C++: `$d` becomes ` d`, so that every column stays. A variable whose name is a
/// C++ keyword loses that property and is called `d_`.
std::string SnippetText(const dsl::Snippet& snippet);

/// Local name of the variable or word in generated code.
std::string LocalName(const std::string& dsl_name);

/// Prints the snippet on a line of its own, between `#line`s, in the column it has in the `.exh`.
void PrintSnippet(CodeWriter& out, const SpacePlan& plan, const dsl::Snippet& snippet);

/// Prints `head`, the snippet, `tail`; with `#line` directives each on a line of its own.
void PrintAround(CodeWriter& out, const SpacePlan& plan, std::string_view head,
                 const dsl::Snippet& snippet, std::string_view tail);

}  // namespace exh::generator
