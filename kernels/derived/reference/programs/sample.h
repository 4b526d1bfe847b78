// SPDX-License-Identifier: MIT
//
// Which part of a reference is computed where all of it would take too long.
//
// A reference in double precision takes some nanoseconds for each step of each point. Attention of
// 16 heads and 8192 keys has 10^10 of these: minutes, while a search has seconds. Then one value of
// an axis is taken out of each *stratum*, a group of neighbours as long as a power of two, and
// what is computed of a result is all that lies at these values. Other axes stay whole.
//
//   total 32, stratum 8      0 . . . . 5 . . | . . 10 . . . . . | . . . 19 … | . . … 31
//
// Invariants. The first and the last value are taken, for that is where bounds are. Each stratum
// has one, so no tile of a result that is as long as one, or longer, is without. The places within
// strata go through a permutation that is drawn from the seed: where there are as many strata as a
// stratum is long, each place in a tile of that length is looked at in some tile. Another seed is
// another sample: what one problem does not see the next one may.
//
// It is a matter of the computation and of its sizes alone, so that a run can say before it begins
// what will be checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/derived/expression.h"

namespace exh::kernels::derived {

struct Sample {
  int axis = -1;             ///< Of the expression; -1: all is computed.
  std::int64_t stratum = 1;  ///< Neighbours of which one is taken; a power of two.

  bool is_there() const { return axis >= 0; }
};

/// Steps of points up to which a reference is whole: some seconds of a core.
inline constexpr double kAffordableSteps = 1U << 30;

/// What is computed of an expression where a sample may do: about half of the steps that are
/// affordable. Nothing where all of it is affordable, where what was stored is loaded again, where
/// something is an i64, or where no axis is in all results and in no reduction.
Sample SampleOf(const Expression& expression, double affordable = kAffordableSteps);

/// The values of an axis of this length that are taken, ascending, each once.
std::vector<std::int64_t> ValuesOf(const Sample& sample, std::int64_t total, std::uint64_t seed);

/// "1 in 32 of the 8192 values of i, also the first and the last"; empty: all is computed.
std::string SampleText(const Expression& expression);

/// The tolerance of what is not in a sample: cpu::kAnything.
inline constexpr double kNotSampled = -2;

/// While one lives, references that its thread begins to compute may be sampled. What is not in the
/// sample has kNotSampled as its tolerance, and 0 as its reference.
class SampledReferences {
 public:
  explicit SampledReferences(std::uint64_t seed, double affordable = kAffordableSteps);
  ~SampledReferences();
  SampledReferences(const SampledReferences&) = delete;
  SampledReferences& operator=(const SampledReferences&) = delete;

  std::uint64_t seed() const { return seed_; }
  double affordable() const { return affordable_; }
  /// That of this thread; null: references are whole.
  static const SampledReferences* Current();

 private:
  std::uint64_t seed_;
  double affordable_;
  const SampledReferences* before_;
};

}  // namespace exh::kernels::derived
