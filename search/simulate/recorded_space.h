// SPDX-License-Identifier: MIT
//
// Record: the implementations that runs evaluated, as the part of the search tree that leads to
// them. A search over it (simulation.h) takes decisions as a real one does, but can only arrive at
// what is in the record, where the answer is known.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "search/log/log_reader.h"
#include "search/tree/tree_space.h"

namespace exh::search {

/// A recorded evaluation.
struct RecordedLeaf {
  std::string vector;  ///< As VectorText().
  /// 0: it was of no use (not compiled, wrong, stopped as slow …). What was measured twice, because
  /// it looked like the best, has the slower time here, as a best has: the fastest of many noisy
  /// times is mostly luck.
  double ns = 0;
  double first_ns = 0;  ///< What the tree heard: the first measurement.
  double seconds = 0;   ///< Of the run from the evaluation before to this one.
  double bound = 0;     ///< Nanoseconds; 0: nothing is known. Filled in by Record.
  /// The evaluation, in the log that it is of.
  const Log* log = nullptr;
  const EvalRecord* eval = nullptr;
};

/// The evaluations of runs of the same space, each program once: the first one. Those that the
/// environment spoilt are left out. The logs outlive what is returned. Throws UsageError when the
/// runs are of different spaces, kernels, sizes or devices; `names` are those of the runs, for the
/// message.
std::vector<RecordedLeaf> LeavesOf(std::span<const Log> logs, std::span<const std::string> names);

class Record {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// A prefix that leads to something recorded. Where a single implementation is left below, the
  /// prefix has no children: it stands for the rest of the way, too.
  struct Vertex {
    double bound = 0;  ///< The largest on the way to it.
    std::uint32_t parent = kNone;
    std::uint32_t decision = 0;  ///< That its children take.
    std::uint32_t first_child = 0;
    std::uint32_t num_children = 0;
    std::uint32_t leaf = kNone;  ///< Index of the only implementation.
    std::uint16_t value = 0;     ///< Of the parent's decision.
  };

  /// Follows every leaf down from `root` by `order`. Throws Error when one does not fit: the log is
  /// of another space.
  Record(const runtime::Candidate& root, const ChoiceOrder& order, const BoundFunction& bound,
         std::vector<RecordedLeaf> leaves);

  const std::vector<RecordedLeaf>& leaves() const { return leaves_; }
  /// The root is the first; children come after their parents, side by side.
  const std::vector<Vertex>& vertices() const { return vertices_; }
  /// The vertex at the end of a path, which has one.
  std::uint32_t Find(const Path& path) const;
  double best_ns() const { return best_ns_; }  ///< 0: nothing was of use.
  std::size_t num_correct() const { return num_correct_; }
  /// Implementations that were faster than their bound: there the model is wrong.
  std::size_t num_violations() const { return num_violations_; }

 private:
  void Build(const runtime::Candidate& root, const ChoiceOrder& order, const BoundFunction& bound);

  std::vector<RecordedLeaf> leaves_;
  std::vector<Vertex> vertices_;
  double best_ns_ = 0;
  std::size_t num_correct_ = 0, num_violations_ = 0;
};

/// A record as a tree sees it: nothing but what leads to recorded implementations.
class RecordedSpace final : public TreeSpace {
 public:
  /// `record` outlives it. Without bounds they are all 0.
  RecordedSpace(const Record& record, bool has_bounds) : record_(record), has_bounds_(has_bounds) {}

  Branch Root() const override { return BranchOf(record_.vertices().front()); }
  Branches Expand(const Path& path) const override;

 private:
  Branch BranchOf(const Record::Vertex& vertex) const;

  const Record& record_;
  bool has_bounds_;
};

}  // namespace exh::search
