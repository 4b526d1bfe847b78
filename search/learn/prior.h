// SPDX-License-Identifier: MIT
//
// Prior: what earlier runs, also of other kernels and sizes, say of an implementation that nothing
// was measured of. It is a sum of small regression trees over traits (traits.h), each of which
// learns what those before it left unexplained (J. Friedman, Annals of Statistics 29, 2001). A run
// begins with it, and its own trees learn what is left. It orders and never prunes.
//
// Like the cost model it predicts the logarithm of time over bound, or over a guess of the time,
// against that of the best of the same run: which kernels come close to their bounds is not what a
// search asks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "search/learn/regression_tree.h"
#include "search/learn/traits.h"

namespace exh::search {

/// A run that a prior was made of, in words.
struct PriorSource {
  std::string kernel;      ///< "matmul m=512,n=512,k=512".
  std::string conditions;  ///< Where it was measured.
  std::size_t evaluations = 0;
};

/// As a file holds it.
struct Prior {
  static constexpr int kVersion = 1;

  std::string device;  ///< Class: "cpu-avx512".
  std::vector<PriorSource> made_of;
  bool is_over_guess = false;         ///< Times are over the guess of what is counted.
  double offset = 0;                  ///< Of all predictions.
  double deviation = 0;               ///< Of what it did not learn from, in logarithms.
  std::vector<std::string> columns;   ///< Names of traits that the trees look at.
  std::vector<RegressionTree> trees;  ///< Over these columns; predictions are summed.
};

/// The text of a file. ReadPrior() throws UsageError and names `file` and what is wrong with it.
std::string PriorText(const Prior& prior);
Prior ReadPrior(const std::string& file);

/// As the header of a run calls it: "cpu-avx512 8f14e45f".
std::string PriorName(const Prior& prior);

/// Implementations of one run as traits, with their targets.
struct PriorRun {
  PriorSource source;
  std::vector<std::string> names;               ///< Of the columns.
  std::vector<std::vector<std::uint8_t>> rows;  ///< One an implementation.
  std::vector<float> targets;  ///< Logarithms of time over base, against that of the best.
  bool has_guesses = false;    ///< Bases are guesses; otherwise they are bounds.
  std::vector<float> bases;    ///< Their logarithms.
  std::vector<bool> is_timed;  ///< False: its time is only known to be long.
  double offset = 0;           ///< Logarithm of time over base of the best.
};

/// Of runs, of which there is at least one with an implementation.
Prior LearnPrior(std::span<const PriorRun> runs, Random& random);

/// Spearman's rank correlation of as many numbers. 0 with fewer than two.
double RankCorrelation(std::span<const double> a, std::span<const double> b);

/// Spearman's rank correlation between the times that a prior expects of a run and what was
/// measured. 0 with fewer than two times.
double RankCorrelation(const Prior& prior, const PriorRun& run);

/// A prior for the space of one kernel: its columns are found there once. What the space lacks is
/// 0.
class PriorOfSpace {
 public:
  PriorOfSpace(const Prior& prior, const runtime::Instance& instance,
               const AmountsFunction& amounts);

  /// The logarithm of an implementation's time. From any thread.
  double Predict(std::string_view vector, std::span<const double> amounts, double bound_ns) const;
  double deviation() const { return deviation_; }
  bool is_over_guess() const { return guess_.has_value(); }

 private:
  Traits traits_;
  std::optional<std::size_t> guess_;  ///< Which amount it is over; nothing: the bound.
  double offset_, deviation_;
  std::vector<RegressionTree> trees_;
};

}  // namespace exh::search
