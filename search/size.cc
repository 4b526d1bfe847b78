// SPDX-License-Identifier: MIT
#include "search/size.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "search/parallel.h"

namespace exh::search {
namespace {

using runtime::Bits;
using runtime::Candidate;
using runtime::Propagation;

/// Enough subtrees that the last ones to end do not keep a thread waiting for long.
constexpr std::size_t kSubtreesPerJob = 64;

/// Depth first, one candidate per level, all of them allocated once.
class Counter {
 public:
  Counter(const ChoiceOrder& order, const Candidate& root, int depth,
          const std::atomic<bool>& stopped)
      : order_(order),
        states_(static_cast<std::size_t>(depth) + 1, root),
        levels_(states_.size()),
        stopped_(stopped) {}

  const std::vector<LevelCount>& levels() const { return levels_; }

  /// Counts `node`, at level `level`, and what is below.
  void Count(const Candidate& node, std::size_t level) {
    states_[level] = node;
    Visit(level);
  }

 private:
  void Visit(std::size_t level) {
    ++levels_[level].nodes;
    const auto decision = order_.Next(states_[level]);
    if (!decision) ++levels_[level].implementations;
    if (!decision || level + 1 == states_.size() || stopped_) return;
    for (Bits rest = states_[level].domain(*decision); rest != 0; rest &= rest - 1) {
      states_[level + 1] = states_[level];
      if (states_[level + 1].Restrict(*decision, rest & (~rest + 1)) == Propagation::kFixpoint) {
        Visit(level + 1);
      } else {
        ++levels_[level + 1].dead_ends;
      }
    }
  }

  const ChoiceOrder& order_;
  std::vector<Candidate> states_;
  std::vector<LevelCount> levels_;
  const std::atomic<bool>& stopped_;
};

void Add(const std::vector<LevelCount>& from, std::vector<LevelCount>& to) {
  for (std::size_t level = 0; level < to.size(); ++level) {
    to[level].nodes += from[level].nodes;
    to[level].dead_ends += from[level].dead_ends;
    to[level].implementations += from[level].implementations;
  }
}

}  // namespace

std::vector<LevelCount> CountLevels(const Candidate& root, const ChoiceOrder& order, int depth,
                                    int jobs, const std::function<bool()>& interrupted) {
  std::vector<LevelCount> levels(static_cast<std::size_t>(depth) + 1);
  // The first levels one by one, until there are subtrees for all threads.
  std::vector<Candidate> frontier = {root};
  std::size_t level = 0;
  for (; level + 1 < levels.size() && !frontier.empty() &&
         frontier.size() < kSubtreesPerJob * static_cast<std::size_t>(jobs);
       ++level) {
    std::vector<Candidate> next;
    levels[level].nodes += frontier.size();
    for (const Candidate& node : frontier) {
      const auto decision = order.Next(node);
      if (!decision) {
        ++levels[level].implementations;
        continue;
      }
      for (Bits rest = node.domain(*decision); rest != 0; rest &= rest - 1) {
        Candidate child = node;
        if (child.Restrict(*decision, rest & (~rest + 1)) == Propagation::kFixpoint) {
          next.push_back(std::move(child));
        } else {
          ++levels[level + 1].dead_ends;
        }
      }
    }
    frontier = std::move(next);
  }

  std::mutex mutex;
  std::atomic<bool> stopped = false;
  RunInParallel(frontier.size(), jobs, [&](std::size_t index) {
    if (interrupted && interrupted()) stopped = true;
    if (stopped) return false;
    Counter counter(order, frontier[index], depth, stopped);
    counter.Count(frontier[index], level);
    const std::lock_guard<std::mutex> lock(mutex);
    Add(counter.levels(), levels);
    return true;
  });
  if (stopped) return {};
  return levels;
}

}  // namespace exh::search
