// SPDX-License-Identifier: MIT
//
// Oracle: what an evaluation of any implementation of a space would have come to, from a record of
// some thousands of evaluations. Nothing is compiled or measured.
//
//   * What was recorded, the same decisions or the same program, has the recorded answer.
//   * What was not is answered by regressions of all that was recorded (drawn_forest.h): one says
//     whether it fails, one what its time is over the guess of it or, where there is no guess, over
//     its lower bound. Which tree is asked is drawn by a hash of the decisions. So the same
//     implementation has the same answer always; failures are as frequent as among what is like it;
//     and times that cannot be foretold in the record cannot be foretold here, either.
//   * Nothing is faster than the fastest that was recorded: long searches of the space found
//     nothing faster. A good guess and a good ratio, of two that are like it, may say so. Then a
//     regression of the times themselves is asked. Nor is anything faster than its lower bound.
//
// It is no device. Neighbours differ by chance as much as what the record has in one place, and
// times of one program never differ. docs/search.md says what follows for who tunes by it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/evaluation.h"
#include "search/descend/bound_function.h"
#include "search/descend/dropped/dropped.h"
#include "search/learn/traits.h"
#include "search/learn/vector_columns.h"
#include "search/simulate/recorded_space.h"
#include "search/simulate/traces.h"
#include "search/simulate/whole/drawn_forest.h"

namespace exh::search {

/// What an oracle says of an implementation.
struct OracleAnswer {
  kernels::Verdict verdict = kernels::Verdict::kCorrect;
  std::string why;
  double ns = 0;           ///< Of one that is correct.
  double estimate_ns = 0;  ///< Of one that is slow, by a part of it; 0: nothing is known.
  bool is_recorded = false;
};

/// How well half of a record says what the other half has.
struct OracleQuality {
  double mean = 0;    ///< Rank correlation of times with the mean of all ratios; 1 is perfect.
  double answer = 0;  ///< The same with answers: one tree each.
  double factor = 1;  ///< Half of the answers are within this factor of the time.
  double failures = 0, answered_failures = 0;  ///< Shares of what was evaluated.
};

class Oracle {
 public:
  /// References, and the logs of `leaves`, outlive it. What was `slow` took `slow_factor` times the
  /// best of its run until then, where nothing else is known. Learns in `jobs` threads; the same
  /// for any number of them. `is_complete`: all of the space is recorded, so nothing is learned,
  /// and what is not there is of no use. Throws UsageError when nothing that was recorded has a
  /// time, or when it is of another space.
  Oracle(const runtime::Candidate& root, std::span<const RecordedLeaf> leaves,
         const SearchBound& bound, double slow_factor, int jobs, bool is_complete = false);

  /// Of an implementation with this VectorText() and this hash of its code (EvalRecord::code). From
  /// any thread.
  OracleAnswer Of(const runtime::Candidate& implementation, const std::string& vector,
                  const std::string& code) const;

  double best_ns() const { return best_ns_; }  ///< The fastest that was recorded.
  std::size_t num_recorded() const { return recorded_.size(); }
  std::size_t num_timed() const { return num_timed_; }
  const OracleQuality& quality() const { return quality_; }
  /// How the first of the recorded runs went itself: what was found, each time as it is answered.
  Trace FirstRun() const;

 private:
  /// What regressions see of an implementation.
  struct Seen {
    ForestRow row;
    double base = 0;  ///< Logarithm of its guess or bound.
    double bound = 0;
  };
  /// A recorded evaluation that something is learned of.
  struct Example {
    Seen seen;
    bool is_timed = false;  ///< Not only known to be slow.
    bool fails = false;
    double ns = 0;         ///< 0: there is no time.
    double ratio() const;  ///< Logarithm of its time over the base.
  };
  struct Regressions {
    DrawnForest ratios, times, failures;
    /// An answer for something that does not fail, ns; `least`: nothing is faster.
    double Draw(const Seen& seen, double least, Random& random) const;
  };

  /// Nothing: `seen` is complete.
  std::optional<Dropped> Look(const runtime::Candidate& candidate, const std::string& vector,
                              Seen& seen) const;
  std::vector<Example> Examples(const runtime::Candidate& root,
                                std::span<const RecordedLeaf> leaves, double slow_factor,
                                int jobs) const;
  /// Of the examples with these numbers.
  static Regressions Learn(const std::vector<Example>& examples,
                           const std::vector<std::size_t>& numbers, int jobs);
  OracleQuality QualityOf(const std::vector<Example>& examples, int jobs) const;
  static OracleAnswer Recorded(const RecordedLeaf& leaf);

  const SearchBound& bound_;
  VectorColumns columns_;
  Traits traits_;
  std::vector<RecordedLeaf> leaves_;
  std::unordered_map<std::string, std::size_t> recorded_, codes_;  ///< Numbers of leaves.
  std::vector<std::size_t> failed_;                                ///< Likewise.
  double best_ns_ = 0;
  std::size_t num_timed_ = 0;
  OracleQuality quality_;
  std::optional<Regressions> learned_;
};

}  // namespace exh::search
