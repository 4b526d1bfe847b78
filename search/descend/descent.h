// SPDX-License-Identifier: MIT
//
// Descents from a partially specified candidate to an implementation, value by value, uniformly at
// random unless a Guide says otherwise.
//
// Descender backs out of dead ends: it restores the snapshot before the failed value, removes the
// value and goes on; when the removal fails as well, the value one level up is the failed one. Thus
// it finds an implementation whenever there is one and its patience lasts.
//
// DeadEndStudy does not back out: it is the measure of the paper (001, section 5.2), the share of
// uniform random descents among valid children that end without one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "runtime/candidate.h"
#include "search/descend/choice_order.h"
#include "search/log/log_records.h"

namespace exh::search {

/// One dead end: which decision failed, how deep, and whose fault it is.
struct DeadEnd {
  std::string label;  ///< Of the requirement, counter or trigger that emptied a domain.
  int depth = 0;
  PathStep step;  ///< Value -1: removing the value that had failed.
};

enum class DescentResult {
  kImplementation,
  kExhausted,  ///< Nothing below the start is an implementation, or all of it is pruned.
  kGaveUp,     ///< More dead ends, or more that is pruned, than the limit allows.
};

/// How a descent draws values, and what it stays out of. This one draws uniformly and prunes
/// nothing.
class Guide {
 public:
  virtual ~Guide() = default;
  /// A value that the decision may still take, after `depth` other decisions.
  virtual int Draw(const runtime::Candidate& state, runtime::DecisionId decision, int depth,
                   Random& random);
  /// Is nothing below this child worth finding?
  virtual bool Prunes(const runtime::Candidate& /*child*/) { return false; }
};

class Descender {
 public:
  using OnDeadEnd = std::function<void(const DeadEnd&)>;

  /// `order` outlives the descender.
  explicit Descender(const ChoiceOrder& order, int max_dead_ends = 2000)
      : order_(order), max_dead_ends_(max_dead_ends) {}

  /// Dead ends after which Run() gives up.
  void set_max_dead_ends(int most) { max_dead_ends_ = most; }

  /// Goes down from `start`, which is a fixpoint and not pruned itself.
  DescentResult Run(const runtime::Candidate& start, Random& random, const OnDeadEnd& on_dead_end) {
    Guide uniform;
    return Run(start, random, on_dead_end, uniform);
  }
  DescentResult Run(const runtime::Candidate& start, Random& random, const OnDeadEnd& on_dead_end,
                    Guide& guide);

  /// Is there anything left to decide?
  bool HasOpen(const runtime::Candidate& candidate) const {
    return order_.Next(candidate).has_value();
  }

  /// Stands at `start`, with nothing decided.
  void Begin(const runtime::Candidate& start);
  /// Keeps the first `depth` decisions.
  void BackTo(std::size_t depth) { depth_ = depth; }
  /// Decides what `end`, an implementation below where it stands, decided.
  void GoTo(const runtime::Candidate& end);

  /// Children that the last Run() found pruned.
  int pruned() const { return pruned_; }
  /// What the last Run() found.
  const runtime::Candidate& candidate() const { return levels_[depth_].state; }
  /// The candidate after its first `depth` decisions.
  const runtime::Candidate& state(std::size_t depth) const { return levels_[depth].state; }
  /// The decisions that it took, in order; values that followed by propagation are not among them.
  Path path() const;

 private:
  /// The candidate before a decision, and the decision that was tried there. Kept from one descent
  /// to the next: copying into it is one memcpy.
  struct Level {
    runtime::Candidate state;
    runtime::DecisionId decision = runtime::kNoDecision;
    int value = -1;
  };
  void Push(const runtime::Candidate& state);

  const ChoiceOrder& order_;
  int max_dead_ends_;
  int pruned_ = 0;
  std::vector<Level> levels_;
  std::size_t depth_ = 0;
};

/// Appends to `path` what it takes to reach `end` from `start` by its decisions alone: a descent
/// that removed a value on the way out of a dead end may owe more to the removal than its path
/// says.
void CompletePath(const runtime::Candidate& start, const runtime::Candidate& end,
                  const ChoiceOrder& order, Path& path);

/// Shares and their intervals.
struct DeadEndShare {
  std::uint64_t descents = 0, dead = 0;
  double share() const;
  /// 95 % interval after Wilson: honest also when no descent, or every one, fails.
  std::pair<double, double> Interval() const;
};

class DeadEndStudy {
 public:
  /// `order` outlives the study.
  explicit DeadEndStudy(const ChoiceOrder& order) : order_(order) {}

  /// One descent without backing out. The dead end when there is one: its label is that of the last
  /// value that failed.
  std::optional<DeadEnd> Run(const runtime::Candidate& start, Random& random) const;

 private:
  const ChoiceOrder& order_;
};

}  // namespace exh::search
