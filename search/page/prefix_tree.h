// SPDX-License-Identifier: MIT
//
// The decisions of a run by prefix, for a page. A node is a prefix that the run went through: a
// selection adds at most one, as in the search tree, and so does an evaluation of a run without a
// tree. So there are no more nodes than events. What is known of the children that nothing went
// through (dead ends, cut) is counted at their parent.
//
//   nodes[0]   no decision
//     +-- size(a)=4    visits 12, evaluations 9, best 8.7 us, bound 5.3 us; 3 children are cut
//     +-- size(a)=8    visits 2 …
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "search/log/log_reader.h"
#include "search/page/script_json.h"
#include "search/tree/tree.h"

namespace exh::search {

struct PrefixNode {
  enum class State : std::uint8_t { kOpen, kDeadEnd, kDone, kCut };

  int parent = -1;  ///< Before its children; -1 for the first node.
  PathStep step;    ///< The last decision of the prefix.
  State state = State::kOpen;
  std::uint32_t visits = 0, evaluations = 0, correct = 0;
  double best_ns = 0;   ///< Fastest correct one below; 0: none.
  double bound_ns = 0;  ///< That of the tree; 0: not known.
  /// Of what the tree has beside the nodes: children that are dead ends, and that are cut.
  std::uint32_t dead_ends = 0, cut = 0;
};

class PrefixTree {
 public:
  PrefixTree() { nodes_.emplace_back(); }
  /// From the selections of a log, or from its evaluations where it has no selections.
  explicit PrefixTree(const Log& log);

  void Add(const SelectRecord& select);
  /// Behind the selection that it came of. `counts_visits`: the log has no selections.
  void Add(const EvalRecord& eval, bool counts_visits);

  /// Takes bounds, dead ends and cuts from a tree of the same log.
  void Learn(const Tree& tree);

  const std::vector<PrefixNode>& nodes() const { return nodes_; }
  /// The `most` nodes with the most visits, parents before children: indices, ascending.
  std::vector<int> MostVisited(std::size_t most) const;

 private:
  /// The node at the end of the path, as far as there are nodes; makes one more.
  int Follow(const Path& path, bool counts_visits);
  int Child(int node, const PathStep& step) const;

  std::vector<PrefixNode> nodes_;
  std::unordered_map<std::uint64_t, int> node_of_;   ///< By the number of the selection.
  std::unordered_map<std::uint64_t, int> children_;  ///< By parent, decision and value.
};

/// The member "tree": columns of the `most` nodes with the most visits, and how many others hang
/// from each.
void WritePrefixTree(const Log& log, const PrefixTree& tree, std::size_t most, ScriptJson& json);

}  // namespace exh::search
