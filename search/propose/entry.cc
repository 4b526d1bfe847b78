// SPDX-License-Identifier: MIT
#include "search/propose/entry.h"

#include <utility>

#include "base/hash.h"
#include "search/log/decisions.h"

namespace exh::search {

Descender::OnDeadEnd NoteIn(Attempt& attempt) {
  return [&attempt](const DeadEnd& dead_end) { attempt.dead_ends.push_back(dead_end); };
}

EntryMaker::EntryMaker(const runtime::Candidate& root, const ChoiceOrder& order,
                       Evaluator& evaluator, BoundFunction bound, BoundFunction check)
    : root_(root),
      order_(order),
      evaluator_(evaluator),
      bound_(std::move(bound)),
      check_(std::move(check)) {}

double EntryMaker::BoundOf(const runtime::Candidate& candidate) const {
  if (bound_) return bound_(candidate);
  return check_ ? check_(candidate) : 0;
}

Entry EntryMaker::Make(const runtime::Candidate& implementation) const {
  Entry entry{.candidate = implementation};
  entry.vector = VectorText(entry.candidate);
  entry.source = evaluator_.Emit(entry.candidate);
  const std::string code = WithoutComments(entry.source.text);
  entry.code = HashText(code);
  entry.code_hash = Fnv1a64(code);
  entry.bound = BoundOf(implementation);
  return entry;
}

Path EntryMaker::PathOf(const PatientDescent& descent, const Path& start) const {
  Path path = start;
  const Path below = descent.descender.path();
  path.insert(path.end(), below.begin(), below.end());
  if (descent.backed_out) CompletePath(root_, descent.descender.candidate(), order_, path);
  return path;
}

}  // namespace exh::search
