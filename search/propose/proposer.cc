// SPDX-License-Identifier: MIT
#include "search/propose/proposer.h"

#include "search/log/replay.h"

namespace exh::search {

void LearnFrom(const Log& log, const runtime::Candidate& root, Proposer& proposer) {
  if (!proposer.learns()) return;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == kernels::Verdict::kBroken) continue;
    runtime::Candidate candidate = root;
    ReplayRecord(log, eval, candidate);
    Lesson lesson{candidate, eval.vector, eval.path, LearnedTime(eval)};
    proposer.Learn(lesson);
  }
}

}  // namespace exh::search
