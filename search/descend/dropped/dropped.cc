// SPDX-License-Identifier: MIT
#include "search/descend/dropped/dropped.h"

#include <algorithm>
#include <utility>

#include "base/activity.h"
#include "search/log/decisions.h"

namespace exh::search {

void FailedChecks::Note(const std::string& why, const runtime::Candidate& candidate) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(checks_, why, &FailedCheckRecord::why) != checks_.end()) return;
  checks_.push_back({.why = why, .vector = VectorText(candidate)});
}

std::vector<FailedCheckRecord> FailedChecks::TakeNew() {
  const std::lock_guard lock(mutex_);
  const auto first = checks_.begin() + static_cast<std::ptrdiff_t>(taken_);
  taken_ = checks_.size();
  return {first, checks_.end()};
}

std::vector<FailedCheckRecord> FailedChecks::all() const {
  const std::lock_guard lock(mutex_);
  return checks_;
}

BoundFunction Guarded(BoundFunction bound, FailedChecks& checks) {
  if (!bound) return bound;
  return [bound = std::move(bound), &checks](const runtime::Candidate& candidate) {
    double ns = 0;
    const Doing look(Activity::kLook);
    const auto dropped = DroppedBy([&] { ns = bound(candidate); });
    if (dropped) checks.Note(dropped->why, candidate);
    return dropped ? 0 : ns;
  };
}

}  // namespace exh::search
