// SPDX-License-Identifier: MIT
#include "search/count/size.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <mutex>
#include <utility>

#include "base/parallel.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;

/// Enough subtrees that the last ones to end do not keep a thread waiting for long.
constexpr std::size_t kSubtreesPerJob = 64;

/// Nodes of a thread between two looks at what the others have.
constexpr std::uint64_t kNodesPerLook = 1024;

/// What to count, and what ends it early. Shared by all threads.
struct Count {
  const ChoiceOrder& order;
  const Cut& cut;
  std::size_t depth;  ///< The last level.
  std::uint64_t max_nodes;
  const std::function<bool()>& interrupted;
  std::atomic<std::uint64_t> nodes = 0;  ///< So far, up to kNodesPerLook of each thread.
  std::atomic<bool> stopped = false;

  /// Adds nodes; raises `stopped` when there are too many or nobody waits for them any more.
  void Look(std::uint64_t more) {
    if ((nodes += more) > max_nodes || (interrupted && interrupted())) stopped = true;
  }
};

LevelCount& At(std::vector<LevelCount>& levels, std::size_t level) {
  if (level >= levels.size()) levels.resize(level + 1);
  return levels[level];
}

/// Makes `child` what becomes of `node` with one value, at level `level`, and counts it there
/// unless it is a node.
enum class Child { kNode, kDead, kCut };
Child MakeChild(const Count& count, const Candidate& node, DecisionId decision, int value,
                std::size_t level, Candidate& child, std::vector<LevelCount>& levels) {
  child = node;
  if (child.Take(decision, value) != Propagation::kFixpoint) {
    ++At(levels, level).dead_ends;
    return Child::kDead;
  }
  if (count.cut.Removes(child, static_cast<int>(level))) {
    ++At(levels, level).cut;
    return Child::kCut;
  }
  return Child::kNode;
}

/// Depth first, one candidate per level, all of them allocated once.
class Counter {
 public:
  explicit Counter(Count& count) : count_(count) {}

  const std::vector<LevelCount>& levels() const { return levels_; }

  /// Counts `node`, at level `level`, and what is below.
  void Run(const Candidate& node, std::size_t level) {
    first_ = level;
    states_.push_back(node);
    Visit(level);
    count_.Look(unseen_);
  }

 private:
  void Visit(std::size_t level) {
    ++At(levels_, level).nodes;
    if (++unseen_ == kNodesPerLook) count_.Look(std::exchange(unseen_, 0));
    const Candidate& node = states_[level - first_];
    const auto decision = count_.order.Next(node);
    if (!decision) ++levels_[level].implementations;
    if (!decision || level == count_.depth || count_.stopped) return;
    if (level - first_ + 1 == states_.size()) states_.push_back(node);
    Candidate& child = states_[level - first_ + 1];
    bool childless = true;
    node.ForEachValue(*decision, [&](int value) {
      if (count_.stopped) return;
      const Child result = MakeChild(count_, node, *decision, value, level + 1, child, levels_);
      if (result != Child::kDead) childless = false;
      if (result == Child::kNode) Visit(level + 1);
    });
    if (childless) ++levels_[level].childless;
  }

  Count& count_;
  std::size_t first_ = 0;         ///< The level of the first state.
  std::deque<Candidate> states_;  ///< They stay where they are when another one joins.
  std::vector<LevelCount> levels_;
  std::uint64_t unseen_ = 0;  ///< Nodes that Look() has not seen yet.
};

void Add(const LevelCount& from, LevelCount& to) {
  to.nodes += from.nodes;
  to.dead_ends += from.dead_ends;
  to.implementations += from.implementations;
  to.childless += from.childless;
  to.cut += from.cut;
}

std::vector<LevelCount> Run(const Candidate& root, Count& count, int jobs) {
  std::vector<LevelCount> levels(1);
  // The first levels one by one, until there are subtrees for all threads.
  std::vector<Candidate> frontier = {root};
  Candidate child = root;
  std::size_t level = 0;
  for (; level < count.depth && !frontier.empty() && !count.stopped &&
         frontier.size() < kSubtreesPerJob * static_cast<std::size_t>(jobs);
       ++level) {
    std::vector<Candidate> next;
    At(levels, level).nodes += frontier.size();
    count.Look(frontier.size());
    for (const Candidate& node : frontier) {
      const auto decision = count.order.Next(node);
      if (!decision) {
        ++levels[level].implementations;
        continue;
      }
      bool childless = true;
      node.ForEachValue(*decision, [&](int value) {
        const Child result = MakeChild(count, node, *decision, value, level + 1, child, levels);
        if (result != Child::kDead) childless = false;
        if (result == Child::kNode) next.push_back(child);
      });
      if (childless) ++levels[level].childless;
    }
    frontier = std::move(next);
  }

  std::mutex mutex;
  RunInParallel(frontier.size(), jobs, [&](std::size_t index) {
    count.Look(0);
    if (count.stopped) return false;
    Counter counter(count);
    counter.Run(frontier[index], level);
    const std::lock_guard<std::mutex> lock(mutex);
    for (std::size_t deeper = level; deeper < counter.levels().size(); ++deeper) {
      Add(counter.levels()[deeper], At(levels, deeper));
    }
    return true;
  });
  if (count.stopped) return {};
  return levels;
}

}  // namespace

std::vector<LevelCount> CountLevels(const Candidate& root, const ChoiceOrder& order, int depth,
                                    int jobs, const std::function<bool()>& interrupted,
                                    const Cut& cut) {
  const auto last = static_cast<std::size_t>(depth);
  Count count{order, cut, last, std::numeric_limits<std::uint64_t>::max(), interrupted};
  std::vector<LevelCount> levels = Run(root, count, jobs);
  if (!levels.empty()) levels.resize(last + 1);
  return levels;
}

std::vector<LevelCount> CountTree(const Candidate& root, const ChoiceOrder& order,
                                  std::uint64_t max_nodes, int jobs,
                                  const std::function<bool()>& interrupted, const Cut& cut) {
  Count count{order, cut, std::numeric_limits<std::size_t>::max(), max_nodes, interrupted};
  return Run(root, count, jobs);
}

LevelCount Total(const std::vector<LevelCount>& levels) {
  LevelCount total;
  for (const LevelCount& level : levels) Add(level, total);
  return total;
}

}  // namespace exh::search
