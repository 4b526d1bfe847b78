// SPDX-License-Identifier: MIT
#include "dsl/resolve.h"

#include <utility>

#include "dsl/check.h"
#include "dsl/lint.h"
#include "dsl/lower.h"
#include "dsl/names.h"
#include "dsl/symbols.h"

namespace exh::dsl {

std::optional<Spec> Resolve(const ast::File& file, DiagnosticSink& sink) {
  Resolution r(sink);
  DeclareNames(file, r);
  DefineSets(r);
  DefineChoices(r);
  DefineBodies(r);
  LowerStatements(file, r);
  CheckSpec(r.spec, sink);
  if (sink.has_errors()) return std::nullopt;
  if (sink.lints()) Lint(r);
  return std::move(r.spec);
}

}  // namespace exh::dsl
