// SPDX-License-Identifier: MIT
//
// Where names stand and where they are declared: what an editor asks to go to a definition, and to
// rename. Who resolves names writes it down on the way.
#pragma once

#include <string>
#include <vector>

#include "dsl/source_range.h"

namespace exh::dsl {

/// A name where it stands. Where it is declared both ranges are the same.
struct NameUse {
  SourceRange range;
  SourceRange declared;
};

/// A name that no statement declares by itself: the variable of a quantifier or of arguments.
struct LocalName {
  SourceRange range;
  std::string text;  ///< As people read it: `$a in Dims`.
};

/// What was written down, in no order. A use may stand in it twice.
struct NameUses {
  std::vector<NameUse> uses;
  std::vector<LocalName> locals;
};

}  // namespace exh::dsl
