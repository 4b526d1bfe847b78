// SPDX-License-Identifier: MIT
#include "search/descend/patient_descent.h"

namespace exh::search {

PatientDescent DescendPatiently(const runtime::Candidate& start, const ChoiceOrder& order,
                                const Patience& patience, Random& random, Guide& guide,
                                const Descender::OnDeadEnd& note) {
  PatientDescent descent{.descender = Descender(order, patience.dead_ends)};
  for (int attempt = 0;; ++attempt) {
    const bool is_last = attempt == patience.tries;
    if (is_last) descent.descender.set_max_dead_ends(patience.last_dead_ends);
    descent.backed_out = false;
    const auto on_dead_end = [&](const DeadEnd& dead_end) {
      descent.backed_out = true;
      note(dead_end);
    };
    descent.result = descent.descender.Run(start, random, on_dead_end, guide);
    descent.pruned += descent.descender.pruned();
    descent.backed_out = descent.backed_out || descent.descender.pruned() > 0;
    if (is_last || descent.result != DescentResult::kGaveUp) return descent;
  }
}

}  // namespace exh::search
