// SPDX-License-Identifier: MIT
//
// Islands: several local searches that start at random implementations, or at what won elsewhere,
// and have elite sets of their own. An island ends when it makes no more progress, and another one
// starts in its place: a search with restarts.
//
// They are kept apart because a new start is slower than what a search has long improved: in one
// common elite set it would be displaced before it could be improved itself. And the best of a
// space may be far from the incumbent, with only slow implementations in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "search/near/local_search.h"

namespace exh::search {

struct IslandOptions {
  /// Islands at once. A new one gets the structure with the fewest evaluations on islands so far:
  /// otherwise most would start in the structure with the largest basin of attraction.
  std::size_t at_once = 4;
  /// An island that has just begun counts as so many evaluations of its structure.
  int head_start = 20;
  /// An island makes progress when its fastest gets faster by this share.
  double progress = 0.02;
  /// After so many evaluations without progress it ends.
  int patience = 40;
  LocalSearchOptions local = {};  ///< Of its elite sets.
  /// The first islands begin at these implementations, one at each; the others begin anywhere.
  std::vector<runtime::Candidate> starts = {};
};

/// One island.
struct Island {
  Island(const runtime::Candidate& root, std::uint64_t structure_of_starts,
         const LocalSearchOptions& options, std::optional<runtime::Candidate> begins_at)
      : structure(structure_of_starts), start(std::move(begins_at)), local(root, options) {}

  const std::uint64_t structure;  ///< That its walks begin in; steps may lead to others.
  /// Where its walks begin as long as it has no elite; nothing: anywhere.
  const std::optional<runtime::Candidate> start;
  LocalSearch local;  ///< Its elite sets.

  // Only the thread that calls Islands::Learn() reads and writes these.
  double fastest = 0;  ///< Time of its last progress; see IslandOptions::progress.
  int stale = 0;       ///< Evaluations since then.
};

class Islands {
 public:
  /// For implementations below `root`, which outlives them.
  explicit Islands(const runtime::Candidate& root, const IslandOptions& options = {})
      : root_(root), options_(options) {}

  /// One of the islands; null when no structure is known yet. From any thread. The first islands
  /// start at the first call; call it when more than one structure is known.
  std::shared_ptr<Island> Draw(Random& random);

  /// An implementation of this structure exists. This and Learn() are called by one thread alone.
  void LearnOf(std::uint64_t structure);
  /// An implementation that was found for `island` was evaluated; `ns` 0: it did not work, or not
  /// in time, and then `path` (LocalSearch) is not looked at.
  void Learn(const std::shared_ptr<Island>& island, const runtime::Candidate& implementation,
             const Path& path, double ns);

 private:
  /// Starts as many islands as are missing. With the lock held.
  void Begin();

  const runtime::Candidate& root_;
  IslandOptions options_;
  std::mutex mutex_;  ///< Of what follows.
  std::vector<std::shared_ptr<Island>> islands_;
  std::size_t begun_ = 0;                     ///< Of IslandOptions::starts.
  std::map<std::uint64_t, int> evaluations_;  ///< By structure: of its islands, also ended ones.
};

}  // namespace exh::search
