// SPDX-License-Identifier: MIT
#include "dsl/meaning/resolve.h"

#include <utility>

#include "dsl/meaning/check.h"
#include "dsl/meaning/lint.h"
#include "dsl/meaning/names.h"
#include "dsl/meaning/statements.h"
#include "dsl/meaning/symbols.h"

namespace exh::dsl {

std::optional<Spec> Resolve(const ast::File& file, const std::vector<ast::ObjectiveDecl>& terms,
                            DiagnosticSink& sink, NameUses* names) {
  Resolution r(sink);
  r.names = names;
  DeclareNames(file, r);
  DefineSets(r);
  DefineChoices(r);
  DefineBodies(r);
  DefineStatements(file, r);
  DefineTerms(terms, r);
  CheckSpec(r.spec, sink);
  if (sink.has_errors()) return std::nullopt;
  if (sink.lints()) Lint(r);
  return std::move(r.spec);
}

}  // namespace exh::dsl
