// SPDX-License-Identifier: MIT
//
// Lines: local searches that begin anywhere, and not at what is fastest. Each has fastest
// implementations of its own and is followed until it does not get any faster; then another one
// begins. What has just begun is slower than what a search has long worked on, and among the
// fastest of all it would be gone before it shows what it can be; the best of a space may be far
// from the best of what was found first, with nothing but slow ones between them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/random.h"
#include "search/near/local_search.h"

namespace exh::search {

/// A line that others may follow; see Lines.
struct Line {
  Line(const runtime::Candidate& root, std::uint64_t structure_of_starts)
      : structure(structure_of_starts), local(root) {}

  const std::uint64_t structure;  ///< Of what its walks begin at; steps may lead to others.
  LocalSearch local;              ///< The fastest of the line, whatever they are.

  // The one thread that teaches knows these.
  double fastest = 0;  ///< Of those that were faster by Lines::kProgress than all before.
  int stale = 0;       ///< Evaluations since then.
};

class Lines {
 public:
  /// So many at once, of the structures that had the fewest evaluations on lines: where one way of
  /// doing things has a large basin, all lines would end in it. A line that has just begun counts
  /// as so many evaluations.
  static constexpr std::size_t kAtOnce = 4;
  static constexpr int kHeadStart = 20;
  /// A line whose fastest did not get faster by so much for so many evaluations ends.
  static constexpr double kProgress = 0.02;
  static constexpr int kPatience = 40;

  /// For implementations below `root`, which outlives them.
  explicit Lines(const runtime::Candidate& root) : root_(root) {}

  /// One of the lines; null when no structure is known yet. From any thread. The first begin when
  /// one is first wanted, and by then more than one structure should be known.
  std::shared_ptr<Line> Draw(Random& random);

  /// There is something of this structure. One thread alone teaches.
  void LearnOf(std::uint64_t structure);
  /// An implementation that was found for `line` was evaluated; `ns` 0: it did not work, or not in
  /// time, and then `path` (LocalSearch) is not looked at.
  void Learn(const std::shared_ptr<Line>& line, const runtime::Candidate& implementation,
             const Path& path, double ns);

 private:
  /// Begins as many as are missing. With the lock held.
  void Begin();

  const runtime::Candidate& root_;
  std::mutex mutex_;  ///< Of what follows.
  std::vector<std::shared_ptr<Line>> lines_;
  std::map<std::uint64_t, int> evaluations_;  ///< Of the lines of each structure, also ended ones.
};

}  // namespace exh::search
