// SPDX-License-Identifier: MIT
#include "search/near/lines.h"

#include <algorithm>
#include <utility>

namespace exh::search {

std::shared_ptr<Line> Lines::Draw(Random& random) {
  const std::lock_guard lock(mutex_);
  Begin();
  if (lines_.empty()) return nullptr;
  return lines_[random.Below(lines_.size())];
}

void Lines::LearnOf(std::uint64_t structure) {
  const std::lock_guard lock(mutex_);
  evaluations_.try_emplace(structure, 0);
}

void Lines::Learn(const std::shared_ptr<Line>& line, const runtime::Candidate& implementation,
                  const Path& path, double ns) {
  line->local.Count(line->local.StructureOf(implementation));
  if (ns > 0) line->local.Add(implementation, path, ns);
  ++line->stale;
  if (ns > 0 && (line->fastest == 0 || ns < (1 - kProgress) * line->fastest)) {
    line->fastest = ns;
    line->stale = 0;
  }
  const std::lock_guard lock(mutex_);
  ++evaluations_[line->structure];
  // What was under way when it ended still comes back.
  if (line->stale > kPatience) std::erase(lines_, line);
}

void Lines::Begin() {
  while (lines_.size() < kAtOnce && !evaluations_.empty()) {
    const auto least =
        std::ranges::min_element(evaluations_, {}, [](const auto& of) { return of.second; });
    least->second += kHeadStart;
    lines_.push_back(std::make_shared<Line>(root_, least->first));
  }
}

}  // namespace exh::search
