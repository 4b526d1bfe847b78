// SPDX-License-Identifier: MIT
//
// CostModel: predicts the time of an implementation that was not measured, from those that were. It
// is a forest of regression trees over decisions. Implementations are cheap to find and dear to
// compile, so the model picks one of many for compilation. It orders and never prunes: what it
// predicts to be slow stays in the tree, and only lower bounds prove anything.
//
// A row (vector_columns.h) has the decisions, and what an implementation takes of the device (what
// the lower bound counts).
//
// The target is the ratio of an implementation's time to its lower bound, or to a guess of it where
// there is one. What these know of work and waiting the trees need not learn, which helps most
// where little was measured. Nor need they learn what a prior knows (prior.h).
//
// Beside these trees there may be others of the same kind that tell the best tenth of what was
// measured from the rest. A mean of times is pulled about by what is slow or does not work, of
// which there is much; which of the good ones is better hardly shows in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "runtime/instance.h"
#include "search/learn/prior.h"
#include "search/learn/regression_tree.h"
#include "search/learn/vector_columns.h"
#include "search/log/log_records.h"

namespace exh::search {

/// A prediction for one implementation, in logarithms of times.
struct Guess {
  double mean = 0;
  double deviation = 0;  ///< Between trees.
  /// The logarithm of the probability that it is one of the best tenth, as far as trees agree on
  /// it: never minus infinity. 0: that is not asked, or nothing is known of it yet.
  double log_best = 0;
};

class CostModel {
 public:
  /// With fewer samples there is no prediction.
  static constexpr std::size_t kLeast = 32;
  static constexpr std::size_t kTrees = 32;
  /// Times are clipped at this factor above the fastest, and failures count as clipped: how bad a
  /// bad implementation is says nothing about good ones.
  static constexpr double kWorst = 16;
  /// The best are this share of what was measured, failures included.
  static constexpr double kBest = 0.1;

  /// `instance` outlives the model; `num_amounts`: of each implementation.
  /// With a `prior` (null: none) the trees learn what it leaves, and there is a prediction at once.
  /// `guess`: which of the amounts is one of the time (AmountsFunction::guess); with it, too.
  /// `classifies`: it also learns which are the best tenth.
  CostModel(const runtime::Instance& instance, std::size_t num_amounts, std::uint64_t seed,
            std::shared_ptr<const PriorOfSpace> prior = nullptr,
            std::optional<std::size_t> guess = {}, bool classifies = false);

  /// An implementation by its vector (VectorText()), what it takes of the device, its bound (0:
  /// there is none), and the decisions that lead to it, in one order or two; `ns` 0: it did not
  /// work, or not in time. One thread alone may add.
  void Add(std::string_view vector, std::span<const double> amounts, double bound_ns,
           const Path& path, const Path& other_path, double ns);

  /// Are there samples enough for predictions? From any thread.
  bool is_ready() const;
  /// Nothing before is_ready(). From any thread, also while one adds.
  std::optional<Guess> Ask(std::string_view vector, std::span<const double> amounts,
                           double bound_ns) const;

 private:
  using Row = std::vector<std::uint8_t>;

  Row RowOf(std::string_view vector, std::span<const double> amounts) const;
  /// The logarithm of a time, against what is known without trees.
  float Target(double ns, double known) const;
  /// What is known of a time's logarithm without trees: the bound or the guess, and what the prior
  /// says.
  double Known(std::string_view vector, std::span<const double> amounts, double bound_ns) const;
  /// Is each sample one of the best tenth? As targets.
  void LabelSamples();
  /// Learns the oldest tree anew, from all samples, and the classifier beside it.
  void Renew();

  std::shared_ptr<const PriorOfSpace> prior_;
  std::optional<std::size_t> guess_;
  bool classifies_;
  VectorColumns columns_;
  Random random_;
  Samples samples_;
  std::vector<double> ns_, known_;   ///< Of each sample.
  std::vector<bool> is_used_;        ///< Columns that trees look at.
  std::vector<std::uint32_t> used_;  ///< Their numbers.
  double fastest_ = 0;
  std::size_t next_ = 0;   ///< The oldest tree.
  std::size_t added_ = 0;  ///< Samples since a tree was renewed.

  /// A tree of the forest, and the one of the classifier that was learned with it, or null.
  struct Trees {
    std::shared_ptr<const RegressionTree> time, best;
  };
  mutable std::mutex mutex_;  ///< Of what follows.
  std::vector<Trees> trees_;
};

}  // namespace exh::search
