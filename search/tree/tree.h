// SPDX-License-Identifier: MIT
//
// Tree: the visited prefixes of the search tree with what is known below each of them. Storage
// only: policies choose (policy.h), TreeSearch locks and logs (tree_search.h).
//
//                 edge 0, to the root: all statistics of the tree
//                   |
//                 node 0   decision: size(a)
//        +----------+----------+
//      edge 1     edge 2     edge 3       one per value, side by side; statistics live here
//      value 1    value 2    value 4
//        |        a dead     no node yet: visited once or never
//      node 1     end
//
// Nodes are made one per selection, when an edge is chosen for the second time: rollouts leave
// none, and a node that is there has all its edges. Nodes hold no candidate. The one of a node is
// made again from the root by its path: from a packed candidate that takes two thirds of the time,
// but eight times the memory of all else that is known of the node (./exh bench tree).
//
// Everything happens in events: a selection, an evaluation, a new best. The same events in the same
// order give the same tree, byte for byte of Text(), whoever chose what was selected.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/log/log_records.h"
#include "search/tree/policy.h"
#include "search/tree/tree_space.h"

namespace exh::search {

struct TreeOptions {
  int topk = 10;          ///< So many of the best evaluations are kept per edge.
  double epsilon = 0.01;  ///< What cannot be faster than the best by more than this share is cut.
};

/// Where a selection ended.
struct Selection {
  std::uint64_t sequence = 0;  ///< Of its record in the log.
  Path path;                   ///< From the root of the tree.
  std::uint32_t edge = 0;      ///< The last one.
  bool is_leaf = false;  ///< Nothing is left to decide; no other selection ends here meanwhile.
  /// The node at the end of the path was made and has no live child: nothing to roll out from.
  bool is_closed = false;
  double bound = 0;
  double cut = std::numeric_limits<double>::infinity();  ///< At that moment.
};

/// What came of a selection.
struct Backup {
  enum class Kind {
    kTimed,   ///< An implementation ran in `ns`.
    kFailed,  ///< An implementation that is of no use: not compiled, wrong, slow …
    kEmpty,   ///< There is no implementation below, or all are cut.
    kLost,    ///< Nothing was learnt: the rollout gave up, or the process died.
  };
  Kind kind = Kind::kLost;
  double ns = 0;
  /// The implementation was evaluated before, below another prefix or this one.
  bool is_known = false;
};

/// An edge as others see it.
struct EdgeView {
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t above = kNone;  ///< The number of the edge above, which came before; kNone: none.
  PathStep step;                ///< Nothing for the edge to the root.
  double bound = 0;
  std::uint32_t visits = 0, evaluations = 0;
  bool is_dead_end = false;  ///< Propagation found a contradiction.
  bool is_cut = false;       ///< By its bound.
  bool is_done = false;      ///< Nothing is left below: evaluated, empty, or all of it dead.
};

class Tree {
 public:
  /// `space` outlives the tree.
  Tree(const TreeSpace& space, const TreeOptions& options);

  /// Selects a path by the policy and counts a visit on all its edges. Nothing when no live leaf is
  /// free: the tree is exhausted, or all that is left is being evaluated.
  std::optional<Selection> Select(const Policy& policy, Random& random);
  /// Selects the longest prefix of a path to an implementation that the tree has nodes for. Nothing
  /// when it is dead: it was evaluated or is cut.
  std::optional<Selection> SelectTo(const Path& path);
  /// The same for a path that was chosen before: what a selection did, from its record. Throws
  /// Error when the tree has no such path.
  Selection Repeat(const Path& path, bool is_closed);
  /// Takes in what came of a selection. Every selection that is not closed gets one.
  void BackUp(std::uint32_t edge, const Backup& backup);
  /// There is a new best: cuts what cannot be faster by more than epsilon.
  void SetBest(double ns);

  /// Children with a bound that reaches it are dead; infinity without a best.
  double cut() const { return cut_; }
  /// No implementation that is not yet evaluated is faster, in nanoseconds: the smallest bound of
  /// the open frontier, or the cut.
  double LowerBound() const;
  /// All implementations were evaluated or cut.
  bool exhausted() const { return IsDead(0); }
  /// Is anything left to select that is not selected already? Looks at all that is alive.
  bool HasFree() const;
  /// Children that the cut keeps selections out of.
  std::uint64_t num_cut() const { return num_cut_; }

  std::size_t num_nodes() const { return nodes_.size(); }
  std::size_t num_edges() const { return edges_.size(); }
  /// Of all that was allocated for nodes.
  std::size_t num_bytes() const;

  /// Calls `look` for every edge, in the order they were made: numbers 0, 1, 2 …
  void ForEachEdge(const std::function<void(const EdgeView&)>& look) const;
  /// Every node with its edges, in the order they were made, in numbers.
  std::string Text() const;
  /// The same in words.
  struct Names {
    std::function<std::string(int decision)> decision;
    std::function<std::string(const PathStep& step)> value;
  };
  std::string Text(const Names& names) const;
  /// Hash of Text().
  std::string Digest() const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  enum class Death : std::uint8_t {
    kNone,
    kDeadEnd,    ///< Propagation found a contradiction.
    kEvaluated,  ///< A leaf that had its evaluation.
    kEmpty,      ///< A rollout that gave nobody up found no implementation.
  };

  /// Fields by size, so that there is no padding between them.
  struct Node {
    double lower = 0;  ///< Smallest bound of what is open below.
    std::uint32_t edge = 0;
    std::uint32_t first_edge = 0;
    std::uint32_t decision = 0;
    std::uint16_t num_edges = 0;
    std::uint16_t depth = 0;
  };
  static_assert(sizeof(Node) == 24);

  struct Edge {
    double bound = 0;             ///< Its own, or its parent's when that is larger.
    std::uint32_t owner = kNone;  ///< The node it hangs from.
    std::uint32_t child = kNone;
    std::uint32_t visits = 0;
    std::uint32_t evaluations = 0;
    std::uint32_t times = kNone;  ///< Block of the best evaluations.
    std::uint16_t value = 0;
    Death death = Death::kNone;
    std::uint8_t flags = 0;
  };
  static_assert(sizeof(Edge) == 32);
  static constexpr std::uint8_t kLeaf = 1;
  static constexpr std::uint8_t kBusy = 2;    ///< A leaf that is being evaluated.
  static constexpr std::uint8_t kClosed = 4;  ///< All children of its node are dead.

  bool Has(std::uint32_t edge, std::uint8_t flag) const { return (edges_[edge].flags & flag) != 0; }
  bool IsDead(std::uint32_t edge) const;
  std::span<const Edge> EdgesOf(const Node& node) const;
  std::span<const double> TimesOf(const Edge& edge) const;
  Path PathOf(std::uint32_t edge) const;
  /// Makes the node at the end of an edge, with all its edges.
  void Expand(std::uint32_t edge);
  /// Counts the visits of a path that ends with `edge`.
  Selection Take(std::uint32_t edge);
  /// Down from the root by the policy, past edges that are `blocked`: the last edge of a selection,
  /// or one that turned out to lead nowhere.
  std::uint32_t Descend(const Policy& policy, Random& random,
                        const std::vector<std::uint32_t>& blocked, bool& has_end);
  void AddTime(Edge& edge, const Backup& backup);
  /// An edge changed: are those above it dead now, and what is the smallest bound below them?
  void Update(std::uint32_t edge);
  double Lower(const Edge& edge) const;
  bool IsCut(const Edge& edge) const { return edge.death == Death::kNone && edge.bound >= cut_; }
  /// Which edges are dead, found by looking at all of them.
  std::vector<bool> Deaths() const;
  /// Text() in pieces; without names in numbers.
  void Print(const std::function<void(const std::string&)>& out, const Names* names) const;

  const TreeSpace& space_;
  TreeOptions options_;
  double cut_ = std::numeric_limits<double>::infinity();
  std::uint64_t num_cut_ = 0;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<double> times_;  ///< Blocks of `topk`, each fastest first.
};

}  // namespace exh::search
