// SPDX-License-Identifier: MIT
//
// Lines: several local searches that start at random implementations and have elite sets of their
// own. (The field calls such populations islands.) A line ends when it makes no more progress, and
// another one starts in its place, as in a search with restarts.
//
// They are kept apart because a new start is slower than what a search has long improved: in one
// common elite set it would be displaced before it could be improved itself. And the best of a
// space may be far from the incumbent, with only slow implementations in between.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/random.h"
#include "search/near/local_search.h"

namespace exh::search {

/// One line.
struct Line {
  Line(const runtime::Candidate& root, std::uint64_t structure_of_starts)
      : structure(structure_of_starts), local(root) {}

  const std::uint64_t structure;  ///< That its walks begin in; steps may lead to others.
  LocalSearch local;              ///< Its elite sets.

  // Only the thread that calls Lines::Learn() reads and writes these.
  double fastest = 0;  ///< Time of its last progress; see Lines::kProgress.
  int stale = 0;       ///< Evaluations since then.
};

class Lines {
 public:
  /// Lines at once. A new one gets the structure with the fewest evaluations on lines so far:
  /// otherwise most would start in the structure with the largest basin of attraction. A line that
  /// has just begun counts as kHeadStart evaluations of its structure.
  static constexpr std::size_t kAtOnce = 4;
  static constexpr int kHeadStart = 20;
  /// A line makes progress when its fastest gets faster by this share. After kPatience evaluations
  /// without progress it ends.
  static constexpr double kProgress = 0.02;
  static constexpr int kPatience = 40;

  /// For implementations below `root`, which outlives them.
  explicit Lines(const runtime::Candidate& root) : root_(root) {}

  /// One of the lines; null when no structure is known yet. From any thread. The first lines start
  /// at the first call; call it when more than one structure is known.
  std::shared_ptr<Line> Draw(Random& random);

  /// An implementation of this structure exists. This and Learn() are called by one thread alone.
  void LearnOf(std::uint64_t structure);
  /// An implementation that was found for `line` was evaluated; `ns` 0: it did not work, or not in
  /// time, and then `path` (LocalSearch) is not looked at.
  void Learn(const std::shared_ptr<Line>& line, const runtime::Candidate& implementation,
             const Path& path, double ns);

 private:
  /// Starts as many lines as are missing. With the lock held.
  void Begin();

  const runtime::Candidate& root_;
  std::mutex mutex_;  ///< Of what follows.
  std::vector<std::shared_ptr<Line>> lines_;
  std::map<std::uint64_t, int> evaluations_;  ///< By structure: of its lines, also ended ones.
};

}  // namespace exh::search
