// SPDX-License-Identifier: MIT
#include "search/propose/proposer.h"

#include <utility>

#include "base/activity.h"
#include "search/log/replay.h"

namespace exh::search {

LearnsBeside::LearnsBeside(std::unique_ptr<Proposer> proposer)
    : proposer_(std::move(proposer)), beside_([this](Kept& kept) { Teach(kept); }) {}

void LearnsBeside::Learn(Lesson& lesson) {
  if (!learns()) return;
  beside_.Give(
      Kept{lesson.implementation, lesson.vector, lesson.path, lesson.ns, std::move(lesson.origin)});
}

void LearnsBeside::Teach(Kept& kept) {
  const Doing learn(Activity::kLearn);
  Lesson lesson{kept.implementation, kept.vector, kept.path, kept.ns, std::move(kept.origin)};
  proposer_->Learn(lesson);
}

void LearnFrom(const Log& log, const runtime::Candidate& root, Proposer& proposer) {
  if (!proposer.learns()) return;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == kernels::Verdict::kBroken) continue;
    runtime::Candidate candidate = root;
    ReplayRecord(log, eval, candidate);
    Lesson lesson{candidate, eval.vector, eval.path, LearnedTime(eval)};
    proposer.Learn(lesson);
  }
  proposer.AwaitLearned();
}

}  // namespace exh::search
