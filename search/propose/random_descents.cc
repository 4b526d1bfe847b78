// SPDX-License-Identifier: MIT
#include "search/propose/random_descents.h"

namespace exh::search {

bool RandomDescents::Propose(Random& random, Attempt& attempt) {
  const bool is_sound = entries_.Guard(entries_.root(), [&] {
    Guide uniform;
    const PatientDescent descent = DescendPatiently(
        entries_.root(), entries_.order(), options_.patience, random, uniform, NoteIn(attempt));
    attempt.result = descent.result;
    if (descent.result != DescentResult::kImplementation) return;
    attempt.entry = entries_.Make(descent.descender.candidate());
    attempt.entry->path = entries_.PathOf(descent, {});
  });
  if (!is_sound) attempt.GiveUp();
  return true;
}

}  // namespace exh::search
