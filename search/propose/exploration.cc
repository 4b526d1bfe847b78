// SPDX-License-Identifier: MIT
#include "search/propose/exploration.h"

#include <utility>
#include <vector>

#include "search/propose/frontier/seen_programs.h"
#include "search/propose/frontier/tree_frontier.h"
#include "search/propose/mix.h"

namespace exh::search {
namespace {

/// Rollouts of the tree, and descents near the elite set where they have a share. They learn in
/// the order of the mix: what the latter work out of an implementation goes to the cost model, too.
/// Where there is an elite set, the run ends with what is next to its best.
std::unique_ptr<Proposer> TreeProposer(const EntryMaker& entries, TreeFrontier& frontier,
                                       const ProposerOptions& options, std::uint64_t seed) {
  const auto screen =
      std::make_shared<Screen>(entries, frontier, options.amounts,
                               ScreenOptions{.steps = options.screen,
                                             .inside = options.inside,
                                             .most_exploration = options.most_exploration,
                                             .best_weight = options.best_weight,
                                             .likeness_weight = options.likeness_weight,
                                             .prior = options.prior},
                               seed);
  auto rollouts = std::make_unique<TreeRollouts>(entries, frontier, screen, options.rollouts);
  if (options.local_share <= 0) return rollouts;
  auto near = std::make_unique<NearElites>(entries, frontier, screen, options.near);
  const LocalSearch& elites = near->elites();
  const ChoiceOrder& order = near->order();
  std::vector<Mix::Part> parts;
  parts.push_back({std::move(near), options.local_share});
  parts.push_back({std::move(rollouts), 1 - options.local_share});
  LastNeighboursOptions last = options.last;
  if (last.looks == 0) last.looks = options.screen;
  return std::make_unique<LastNeighbours>(std::make_unique<Mix>(std::move(parts)), entries,
                                          frontier, screen, elites, order, last);
}

}  // namespace

Exploration MakeExploration(const EntryMaker& entries, std::shared_ptr<const Policy> policy,
                            const TreeOptions& tree, const ProposerOptions& options,
                            std::uint64_t seed, int max_duplicates, EventLog& log) {
  if (!policy) {
    return {std::make_unique<SeenPrograms>(entries, log, max_duplicates),
            std::make_unique<RandomDescents>(entries, options.random)};
  }
  auto frontier = std::make_unique<TreeFrontier>(entries, std::move(policy), tree, seed, log);
  std::unique_ptr<Proposer> proposer = TreeProposer(entries, *frontier, options, seed);
  if (options.learns_beside) proposer = std::make_unique<LearnsBeside>(std::move(proposer));
  return {std::move(frontier), std::move(proposer)};
}

}  // namespace exh::search
