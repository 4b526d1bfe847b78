// SPDX-License-Identifier: MIT
#include "search/near/islands.h"

#include <algorithm>
#include <utility>

namespace exh::search {

std::shared_ptr<Island> Islands::Draw(Random& random) {
  const std::lock_guard lock(mutex_);
  Begin();
  if (islands_.empty()) return nullptr;
  return islands_[random.Below(islands_.size())];
}

void Islands::LearnOf(std::uint64_t structure) {
  const std::lock_guard lock(mutex_);
  evaluations_.try_emplace(structure, 0);
}

void Islands::Learn(const std::shared_ptr<Island>& island, const runtime::Candidate& implementation,
                    const Path& path, double ns) {
  island->local.Count(island->local.StructureOf(implementation));
  if (ns > 0) island->local.Add(implementation, path, ns);
  ++island->stale;
  if (ns > 0 && (island->fastest == 0 || ns < (1 - options_.progress) * island->fastest)) {
    island->fastest = ns;
    island->stale = 0;
  }
  const std::lock_guard lock(mutex_);
  ++evaluations_[island->structure];
  // What was under way when it ended still comes back.
  if (island->stale > options_.patience) std::erase(islands_, island);
}

void Islands::Begin() {
  while (islands_.size() < options_.at_once && !evaluations_.empty()) {
    if (begun_ < options_.starts.size()) {
      const runtime::Candidate& start = options_.starts[begun_++];
      const std::uint64_t structure = Structure(root_).Of(start);
      evaluations_[structure] += options_.head_start;
      islands_.push_back(std::make_shared<Island>(root_, structure, options_.local, start));
      continue;
    }
    const auto least =
        std::ranges::min_element(evaluations_, {}, [](const auto& of) { return of.second; });
    least->second += options_.head_start;
    islands_.push_back(std::make_shared<Island>(root_, least->first, options_.local, std::nullopt));
  }
}

}  // namespace exh::search
