// SPDX-License-Identifier: MIT
//
// How large the search tree is: its nodes, counted exactly, level by level. (The paper,
// section 5.4, counts the nodes at depth 10 with and without a cut.) What is too large to be
// counted is estimated: size_estimate.h.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/candidate.h"
#include "search/descend/choice_order.h"
#include "search/descend/cut.h"

namespace exh::search {

/// One level of the tree. Level k holds the candidates after k decisions of the order, each at its
/// fixpoint; level 0 is the root.
struct LevelCount {
  std::uint64_t nodes = 0;            ///< Candidates that propagated, implementations included.
  std::uint64_t dead_ends = 0;        ///< Values whose propagation met a dead end: no nodes.
  std::uint64_t implementations = 0;  ///< Nodes with nothing left to decide.
  /// Nodes none of whose values propagates: the dead ends of the paper. Of the last level that is
  /// counted they are not known, and 0.
  std::uint64_t childless = 0;
  std::uint64_t cut = 0;  ///< Candidates that propagated and that the cut removed: no nodes.
  friend bool operator==(const LevelCount&, const LevelCount&) = default;
};

/// The levels 0 … depth below `root`, which is a fixpoint. The children of a node are the values of
/// the first open decision of the order, less those that `cut` removes. `jobs` threads share the
/// subtrees of the first levels; each holds one candidate per level. Empty when `interrupted` said
/// so before the end.
std::vector<LevelCount> CountLevels(const runtime::Candidate& root, const ChoiceOrder& order,
                                    int depth, int jobs,
                                    const std::function<bool()>& interrupted = {},
                                    const Cut& cut = {});

/// The same of all levels that the tree has. Empty also when it has more than `max_nodes` nodes.
std::vector<LevelCount> CountTree(const runtime::Candidate& root, const ChoiceOrder& order,
                                  std::uint64_t max_nodes, int jobs,
                                  const std::function<bool()>& interrupted = {},
                                  const Cut& cut = {});

/// The sum of all levels.
LevelCount Total(const std::vector<LevelCount>& levels);

}  // namespace exh::search
