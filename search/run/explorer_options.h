// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/stop.h"
#include "search/descend/bound_function.h"
#include "search/measure/verdict_cache.h"
#include "search/propose/exploration.h"
#include "search/run/objective.h"
#include "search/tree/policy.h"
#include "search/tree/tree.h"

namespace exh::search {

struct ExplorerOptions {
  std::uint64_t seed = 1;
  int jobs = 1;            ///< Compilers at once.
  int batch = 4;           ///< Implementations per iteration.
  double slow_factor = 4;  ///< A candidate this much slower than the best may be stopped early.
  /// One whose instructions take this much longer than the best is not compiled; 0: all are.
  double idle_factor = 20;
  /// Seconds for which nothing but one of the first implementations is compiled, on a GPU.
  double first_patience_s = 3;
  int max_broken = 20;        ///< So many broken evaluations in a row end the run.
  int max_duplicates = 1000;  ///< So many duplicates in a row: nothing new is left to find.
  int finalists = 1;          ///< So many of the best are kept to be measured against each other.
  Objective objective = Objective::kTime;
  double flops = 0;  ///< Of one run of what is searched, for the status line.
  /// How the tree is searched; null: there is none, and descents are random.
  std::shared_ptr<const Policy> policy = nullptr;
  TreeOptions tree = {};
  ProposerOptions proposer = {};
  ResourceFunction resource = {};  ///< What a bound rests on. May be empty.
  /// What the run begins with: implementations, the most promising first. Only with a tree.
  std::vector<runtime::Candidate> first = {};
  /// So many of `first` are evaluated in any case; of the others none any more once something is
  /// correct.
  std::size_t handed = 0;
  /// By the clock; nothing: Run() is the beginning.
  std::optional<double> start = {};
  /// What other searches found out of programs, and what they are told; null: nothing. Outlives the
  /// run.
  const VerdictCache* verdicts = nullptr;
  double reserve = 0;  ///< Seconds of the time budget that are for what follows the search.
  /// The evaluator ends what is in flight when it is stopped, which the explorer sees to: at the
  /// end of the search, or kGrace seconds after it as long as nothing was correct. Null: nothing
  /// ends what is in flight.
  StopToken* stop = nullptr;
};

/// What a run takes at most beyond its time budget, in seconds.
inline constexpr double kGrace = 1.5;

}  // namespace exh::search
