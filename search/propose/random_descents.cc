// SPDX-License-Identifier: MIT
#include "search/propose/random_descents.h"

namespace exh::search {

bool RandomDescents::Propose(Random& random, Attempt& attempt) {
  Guide uniform;
  const PatientDescent descent = DescendPatiently(
      entries_.root(), entries_.order(), options_.patience, random, uniform, NoteIn(attempt));
  attempt.result = descent.result;
  if (descent.result != DescentResult::kImplementation) return true;
  attempt.entry = entries_.Make(descent.descender.candidate());
  attempt.entry->path = entries_.PathOf(descent, {});
  return true;
}

}  // namespace exh::search
