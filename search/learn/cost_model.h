// SPDX-License-Identifier: MIT
//
// CostModel: what a search learns of the times of implementations while it goes on. A forest of
// regression trees guesses the time of one that was not measured from its decisions, so that of
// many that are cheap to find only the most promising is compiled, which is not cheap. It orders
// and never prunes: what it has no hope for stays in the tree, and only bounds prove.
//
// A row has the value of each decision, how often each value of each choice occurs, and numbers
// that say what an implementation takes of the device (what the lower bound counts). Of all these
// it knows the order alone, and so works for every space.
//
// What trees learn is how many times an implementation takes longer than its lower bound. The bound
// knows of work and waiting what no trees have to learn, also where nothing was measured yet.
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
#include "search/learn/regression_tree.h"
#include "search/log/log_records.h"

namespace exh::search {

/// What the trees say of one implementation, as logarithms of times.
struct Guess {
  double mean = 0;
  double deviation = 0;  ///< Between trees.
};

class CostModel {
 public:
  /// Without so many samples there is no guess.
  static constexpr std::size_t kLeast = 32;
  static constexpr std::size_t kTrees = 32;
  /// What is slower than the fastest by more than this, or did not work, is all the same: how bad a
  /// bad one is teaches nothing about good ones.
  static constexpr double kWorst = 16;

  /// `instance` outlives the model; `num_amounts`: of each implementation.
  CostModel(const runtime::Instance& instance, std::size_t num_amounts, std::uint64_t seed);

  /// An implementation by its vector (VectorText()), what it takes of the device, its bound (0:
  /// there is none), and the decisions that lead to it, in one order or two; `ns` 0: it did not
  /// work, or not in time. One thread alone may add.
  void Add(std::string_view vector, std::span<const double> amounts, double bound_ns,
           const Path& path, const Path& other_path, double ns);

  /// Is enough known for guesses? From any thread.
  bool is_ready() const;
  /// Nothing before that. Any thread may ask, also while one adds.
  std::optional<Guess> Ask(std::string_view vector, std::span<const double> amounts,
                           double bound_ns) const;

 private:
  using Row = std::vector<std::uint8_t>;

  Row RowOf(std::string_view vector, std::span<const double> amounts) const;
  float Target(double ns, double bound_ns) const;
  /// Makes one of the trees anew, of all that is known now: the oldest.
  void Renew();

  /// Of each decision: the column that counts its first value. The counts follow the decisions, and
  /// the amounts come last.
  std::vector<std::uint32_t> counts_of_;
  std::size_t num_amounts_ = 0, num_columns_ = 0;
  Random random_;
  Samples samples_;
  std::vector<double> ns_, bounds_;  ///< Of each sample.
  std::vector<bool> is_used_;        ///< Columns that trees look at.
  std::vector<std::uint32_t> used_;  ///< Their numbers.
  double fastest_ = 0;
  std::size_t next_ = 0;   ///< The oldest tree.
  std::size_t added_ = 0;  ///< Samples since a tree was renewed.

  mutable std::mutex mutex_;  ///< Of what follows.
  std::vector<std::shared_ptr<const RegressionTree>> trees_;
};

}  // namespace exh::search
