// SPDX-License-Identifier: MIT
#include "search/propose/entry.h"

#include <utility>

#include "base/activity.h"
#include "base/hash.h"
#include "search/log/decisions.h"

namespace exh::search {

namespace {

void SetCode(const std::string& code, Entry& entry) {
  entry.code = HashText(code);
  entry.code_hash = Fnv1a64(code);
}

}  // namespace

Descender::OnDeadEnd NoteIn(Attempt& attempt) {
  return [&attempt](const DeadEnd& dead_end) { attempt.dead_ends.push_back(dead_end); };
}

EntryMaker::EntryMaker(const runtime::Candidate& root, const ChoiceOrder& order,
                       Evaluator& evaluator, BoundFunction bound, BoundFunction check)
    : root_(root),
      order_(order),
      evaluator_(evaluator),
      unguarded_(bound ? bound : check),
      bound_(Guarded(std::move(bound), failed_checks_)),
      check_(Guarded(std::move(check), failed_checks_)) {}

double EntryMaker::BoundOf(const runtime::Candidate& candidate) const {
  if (bound_) return bound_(candidate);
  return check_ ? check_(candidate) : 0;
}

Entry EntryMaker::Make(const runtime::Candidate& implementation) const {
  Entry entry{.candidate = implementation};
  const Doing lower(Activity::kLower);
  const auto dropped = DroppedBy([&] {
    entry.source = evaluator_.Emit(implementation);
    entry.bound = unguarded_ ? unguarded_(implementation) : 0;
  });
  if (dropped) return Make(implementation, *dropped);
  entry.vector = VectorText(implementation);
  SetCode(WithoutComments(entry.source.text), entry);
  return entry;
}

Entry EntryMaker::Make(const runtime::Candidate& implementation, const Dropped& dropped) const {
  Entry entry{.candidate = implementation};
  entry.vector = VectorText(implementation);
  entry.compiled.verdict = dropped.verdict;
  entry.compiled.why = dropped.why;
  // Without a program it is like no other one.
  SetCode(entry.vector, entry);
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
