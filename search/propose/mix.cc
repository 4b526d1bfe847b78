// SPDX-License-Identifier: MIT
#include "search/propose/mix.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace exh::search {

Mix::Mix(std::vector<Part> parts) : parts_(std::move(parts)) {
  EXH_CHECK(!parts_.empty());
}

bool Mix::Propose(Random& random, Attempt& attempt) {
  double drawn = random.Real();
  std::size_t part = 0;
  while (part + 1 < parts_.size() && drawn >= parts_[part].share) drawn -= parts_[part++].share;
  for (; part < parts_.size(); ++part) {
    if (parts_[part].proposer->Propose(random, attempt)) return true;
  }
  return false;
}

bool Mix::learns() const {
  return std::ranges::any_of(parts_, [](const Part& part) { return part.proposer->learns(); });
}

void Mix::Learn(Lesson& lesson) {
  for (Part& part : parts_) part.proposer->Learn(lesson);
}

}  // namespace exh::search
