// SPDX-License-Identifier: MIT
//
// Pairs of steps from one implementation: decisions that are only good together.
//
// A tile may be too deep for its stages, and both be right. Each change alone is slower then, but
// mostly not by much. So the first step of a pair is one that led to nothing much slower, as far as
// the model knows; the most promising comes first. The second is a step of another decision that
// shares an object with the first one's.
//
//   steps       d0=1  d0=2  d1=5  d2=7        what the model expects, in logarithms of times
//   expected    1.2    -    0.9   3.0         - leads nowhere
//   worst 2.0:  firsts are d1=5, d0=1; pairs (d1=5, d0=1), (d1=5, d0=2), (d1=5, d2=7),
//               (d0=1, d2=7); each once, and those alone that share an object
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/instance.h"
#include "search/log/log_records.h"

namespace exh::search {

class PairsOfSteps {
 public:
  /// Of these steps.
  explicit PairsOfSteps(std::vector<PathStep> steps)
      : steps_(std::move(steps)), expected_(steps_.size()) {}

  const std::vector<PathStep>& steps() const { return steps_; }

  /// What the model expects of where the step alone leads; nothing: it leads nowhere. Once for each
  /// step.
  void Note(std::size_t step, std::optional<double> expected) {
    expected_[step] = expected;
    ++noted_;
  }
  bool AreAllNoted() const { return noted_ == steps_.size(); }

  /// The next pair; nothing: none is left. When all are noted. What is expected to be worse than
  /// `worst`, which is looked at in the first call, is no first step.
  std::optional<std::pair<PathStep, PathStep>> Next(const runtime::Instance& instance,
                                                    double worst);

 private:
  void FindFirsts(double worst);
  bool IsPair(const runtime::Instance& instance, std::size_t first, std::size_t second) const;

  std::vector<PathStep> steps_;
  std::vector<std::optional<double>> expected_;  ///< By step.
  std::size_t noted_ = 0;
  bool has_begun_ = false;
  std::vector<std::size_t> firsts_;  ///< Steps, the most promising first.
  std::vector<std::size_t> ranks_;   ///< By step: its place in `firsts_`, or their number.
  std::size_t rank_ = 0, second_ = 0;
};

}  // namespace exh::search
