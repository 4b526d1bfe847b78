// SPDX-License-Identifier: MIT
#include "search/run/lanes/calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace exh::search {

void Calibration::Begin(const std::vector<std::size_t>& lanes, double now) {
  waiting_.clear();
  for (const std::size_t lane : lanes) waiting_[lane] = std::nullopt;
  next_ = now + kEvery;
}

bool Calibration::IsWaitedFor(std::size_t lane) const {
  const auto found = waiting_.find(lane);
  return found != waiting_.end() && !found->second;
}

void Calibration::Add(std::size_t lane, double ns) {
  waiting_[lane] = ns;
}

void Calibration::Drop(std::size_t lane) {
  waiting_.erase(lane);
}

std::vector<Deviation> Calibration::Take() {
  if (waiting_.empty()) return {};
  std::vector<double> times;
  for (const auto& [lane, ns] : waiting_) {
    if (!ns) return {};
    if (*ns > 0) times.push_back(*ns);
  }
  const auto measured = std::exchange(waiting_, {});
  if (times.size() < 2) return {};
  // Of two the faster one is right: other work makes a device slower, and nothing makes it faster.
  std::ranges::sort(times);
  const double middle = times[(times.size() - 1) / 2];
  std::vector<std::size_t> suspects;
  std::vector<Deviation> deviations;
  for (const auto& [lane, ns] : measured) {
    if (*ns <= 0 || std::abs(*ns / middle - 1) <= kMost) continue;
    if (std::ranges::find(suspects_, lane) == suspects_.end()) {
      suspects.push_back(lane);
    } else {
      deviations.push_back({lane, *ns, middle});
    }
  }
  // Once may be an accident: whether it was is asked at once.
  if (!suspects.empty()) next_ = 0;
  suspects_ = std::move(suspects);
  return deviations;
}

}  // namespace exh::search
