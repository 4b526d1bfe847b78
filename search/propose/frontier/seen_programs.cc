// SPDX-License-Identifier: MIT
#include "search/propose/frontier/seen_programs.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "search/log/decisions.h"

namespace exh::search {

bool SeenPrograms::Admit(Entry entry, ChosenBy /*chosen_by*/, Attempt& attempt) {
  if (!entries_.Guard(entry.candidate, [&] { entries_.AddPath(entry); })) return false;
  attempt.result = DescentResult::kImplementation;
  attempt.entry = std::move(entry);
  return true;
}

Intake SeenPrograms::Take(const Attempt& attempt) {
  Intake intake;
  if (attempt.result == DescentResult::kExhausted) intake.end = "exhausted";
  if (attempt.result == DescentResult::kGaveUp && ++given_up_in_a_row_ >= kMaxGivenUp) {
    intake.end = "stuck";
  }
  if (attempt.result != DescentResult::kImplementation) return intake;
  given_up_in_a_row_ = 0;
  intake.is_new = vectors_.insert(Fnv1a64(attempt.entry->vector)).second &&
                  codes_.insert(attempt.entry->code_hash).second;
  intake.is_duplicate = !intake.is_new;
  duplicates_in_a_row_ = intake.is_new ? 0 : duplicates_in_a_row_ + 1;
  if (intake.is_duplicate && duplicates_in_a_row_ >= max_duplicates_) intake.end = "exhausted";
  return intake;
}

void SeenPrograms::Restore(const Log& log, EndRecord& counts) {
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == kernels::Verdict::kBroken) continue;
    vectors_.insert(HashOfText(eval.hash));
    codes_.insert(HashOfText(eval.code));
  }
  // Only the end of a run says how many descents yielded nothing new.
  const auto& counted = log.end ? log.end : log.earlier_end;
  counts.descents = counts.evaluations;
  if (!counted) return;
  counts.descents += counted->descents - std::min(counted->descents, counted->evaluations);
  counts.duplicates = counted->duplicates;
}

}  // namespace exh::search
