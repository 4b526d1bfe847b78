// SPDX-License-Identifier: MIT
//
// What an editor asks of a `.exh` file while somebody writes it: the statements and the names that
// are understood so far, whatever is wrong with the rest.
#pragma once

#include <optional>
#include <string>

#include "dsl/dsl.h"
#include "dsl/name_uses.h"
#include "dsl/spec.h"
#include "dsl/syntax/ast.h"

namespace exh::dsl {

struct SpaceReading {
  ast::File tree;            ///< Of the file and of all that it includes.
  NameUses names;            ///< Of what could be resolved.
  std::optional<Spec> spec;  ///< Nothing when there is a mistake.
};

/// Reads the file at `path` as Compile does (dsl.h), and keeps what Compile throws away.
SpaceReading ReadSpace(const std::string& path, const CompileOptions& options,
                       DiagnosticSink& sink);

}  // namespace exh::dsl
