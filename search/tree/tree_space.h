// SPDX-License-Identifier: MIT
//
// TreeSpace: what a tree is a tree of. The tree (tree.h) asks for the children of a prefix when it
// makes the prefix a node. A search goes through the candidates of a space; a simulation only
// through what a recorded run evaluated (recorded_space.h).
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/candidate.h"
#include "search/descend/bound_function.h"
#include "search/descend/choice_order.h"
#include "search/log/log_records.h"

namespace exh::search {

/// A value of the next decision.
struct Branch {
  std::uint16_t value = 0;
  double bound = 0;  ///< Nanoseconds; nothing below is faster. 0: nothing is known.
  bool is_leaf = false;
  bool is_dead_end = false;  ///< Propagation finds a contradiction.
};

/// The next decision after a prefix, and its values in ascending order.
struct Branches {
  std::uint32_t decision = 0;
  std::vector<Branch> values;
};

class TreeSpace {
 public:
  virtual ~TreeSpace() = default;
  /// The empty prefix; its value means nothing.
  virtual Branch Root() const = 0;
  /// `path` leads from the root to what is no leaf and no dead end.
  virtual Branches Expand(const Path& path) const = 0;
};

/// All candidates below a root.
class CandidateSpace final : public TreeSpace {
 public:
  /// `root` is a fixpoint; all references outlive the space. An empty bound knows nothing.
  CandidateSpace(const runtime::Candidate& root, const ChoiceOrder& order,
                 const BoundFunction& bound)
      : root_(root), order_(order), bound_(bound) {}

  Branch Root() const override;
  Branches Expand(const Path& path) const override;
  /// The candidate at the end of a path without dead ends.
  runtime::Candidate CandidateOf(const Path& path) const;

 private:
  const runtime::Candidate& root_;
  const ChoiceOrder& order_;
  const BoundFunction& bound_;
};

}  // namespace exh::search
