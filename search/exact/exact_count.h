// SPDX-License-Identifier: MIT
//
// ExactCounter: how many implementations there are below a candidate, with no limit of nodes.
//
// At a node, what is open falls into components (components.h). Each is counted by itself and the
// counts are multiplied; equal components are counted once. To count a component is to decide one
// of its decisions: the counts of its values add up. Decisions that are not live count once, and
// what is a function of others follows by propagation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "runtime/candidate.h"
#include "search/exact/big_count.h"
#include "search/exact/components.h"
#include "search/exact/count_cache.h"

namespace exh::search {

/// How far a count is.
struct CountStatus {
  std::uint64_t nodes = 0;      ///< Values that were taken, dead ends included.
  std::uint64_t dead_ends = 0;  ///< Those of them that propagation refuted.
  std::uint64_t known = 0;      ///< Components that were counted before.
  std::uint64_t forgotten = 0;  ///< Components that were forgotten for want of memory.
  std::size_t cached = 0, cache_bytes = 0;
};

struct ExactOptions {
  /// Of the counts that are remembered.
  std::size_t max_cache_bytes = std::size_t{1} << 30;
  /// True ends the count. Asked every few nodes.
  std::function<bool(const CountStatus&)> stop = {};
};

struct ExactCount {
  BigCount count;        ///< When it is not complete: there are at least so many.
  bool complete = true;  ///< Nothing was left out.
};

/// Not for several threads at once.
class ExactCounter {
 public:
  /// The root of the instance must be a fixpoint.
  ExactCounter(std::shared_ptr<const runtime::Instance> instance, ExactOptions options);

  /// The implementations below `from`, which is at a fixpoint of this instance.
  ExactCount Count(const runtime::Candidate& from);

  /// An implementation below `from`, each with the same probability, after Count(from) was
  /// complete and not 0. Nothing when `options.stop` said so.
  std::optional<runtime::Candidate> Draw(const runtime::Candidate& from, Random& random);

  const CountStatus& status() const { return status_; }
  /// Instead of `options.stop`, from now on.
  void set_stop(std::function<bool(const CountStatus&)> stop) { options_.stop = std::move(stop); }

 private:
  BigCount CountComponent(const runtime::Candidate& node, const Component& component);
  /// Of the parts that are left of a component.
  BigCount CountParts(const runtime::Candidate& node, const std::vector<Component>& parts);
  void DrawParts(runtime::Candidate& node, const std::vector<Component>& parts, Random& random);
  void DrawComponent(runtime::Candidate& node, const Component& component, Random& random);
  /// Takes a value; false: a dead end.
  bool Take(runtime::Candidate& node, runtime::DecisionId decision, int value);

  ExactOptions options_;
  ComponentFinder finder_;
  CountCache cache_;
  CountStatus status_;
  bool stopped_ = false;
};

}  // namespace exh::search
