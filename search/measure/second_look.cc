// SPDX-License-Identifier: MIT
#include "search/measure/second_look.h"

namespace exh::search {

void LookAgain(const kernels::Compiled& candidate, const MeasureProgram& measure,
               SecondLook& look) {
  if (look.kind == SecondLook::Kind::kAlone) {
    look.alone = measure(candidate, kernels::Effort::kFinal);
    return;
  }
  if (look.kind == SecondLook::Kind::kNone) return;
  const auto one = [&measure](const kernels::Compiled& program) {
    return [&measure, &program](kernels::Effort effort) { return measure(program, effort); };
  };
  look.duel = RunDuel(one(candidate), one(look.incumbent), look.known_ns);
}

}  // namespace exh::search
