// SPDX-License-Identifier: MIT
//
// The first implementations of a run: what a space wishes for (kernels/first.h), as far as it is
// possible. They are there within a second and decent, so that something correct is known soon, and
// with it what is slow.
#pragma once

#include <optional>
#include <string>

#include "kernels/first.h"
#include "runtime/candidate.h"
#include "search/descend/choice_order.h"

namespace exh::search {

/// What came of a recipe.
struct Followed {
  std::optional<runtime::Candidate> implementation;  ///< Nothing: a descent found no way down.
  /// The first decision that has none of the values that were wished for it; empty: none of those
  /// that the space has.
  std::string missed;
};

/// Takes the wishes in their order, each with the first of its values that propagation leaves
/// possible; what names nothing of the space or contradicts what was taken before is left out. What
/// is open then is decided by a descent, always the same one.
Followed Follow(const kernels::Recipe& recipe, const runtime::Candidate& root,
                const ChoiceOrder& order);

}  // namespace exh::search
