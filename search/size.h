// SPDX-License-Identifier: MIT
//
// How large the search tree is: its nodes, counted exactly, level by level. (Paper 001,
// section 5.3, counts the nodes at depth 10.)
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/candidate.h"
#include "search/choice_order.h"

namespace exh::search {

/// One level of the tree. Level k holds the candidates after k decisions of the order, each at its
/// fixpoint; level 0 is the root.
struct LevelCount {
  std::uint64_t nodes = 0;            ///< Candidates that propagated, implementations included.
  std::uint64_t dead_ends = 0;        ///< Values whose propagation met a dead end: no nodes.
  std::uint64_t implementations = 0;  ///< Nodes with nothing left to decide.
  friend bool operator==(const LevelCount&, const LevelCount&) = default;
};

/// The levels 0 … depth below `root`, which is a fixpoint. The children of a node are the values of
/// the first open decision of the order. `jobs` threads share the subtrees of the first levels;
/// each holds one candidate per level. Empty when `interrupted` said so before the end.
std::vector<LevelCount> CountLevels(const runtime::Candidate& root, const ChoiceOrder& order,
                                    int depth, int jobs,
                                    const std::function<bool()>& interrupted = {});

}  // namespace exh::search
