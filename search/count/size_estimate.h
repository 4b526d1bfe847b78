// SPDX-License-Identifier: MIT
//
// How large the search tree is when it is too large to count: estimates from random samples of it,
// as in the paper, section 5.3.
//
// One sample is a sweep over the tree, level by level. The nodes of a level fall into strata; of
// each stratum only one node is kept, with the number of nodes that it stands for, its weight:
//
//   level d     (node, w) … all of its children are looked at
//   level d+1   a child in a stratum that is empty:      (child, w)
//               in one that has weight W already:        it replaces the node there with
//                                                        probability w / (W + w); W becomes W + w
//
// Sums of weights over the implementations, the dead ends and the nodes of a level are unbiased
// whatever the strata are (P. C. Chen, Heuristic sampling, 1992). With one stratum per level a
// sample is one random descent among valid children, and its weight the product of their numbers:
// Knuth's estimator. The more alike the subtrees of a stratum are, the less the samples vary.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runtime/candidate.h"
#include "search/count/sample_mean.h"
#include "search/descend/choice_order.h"
#include "search/descend/cut.h"
#include "search/descend/descent.h"

namespace exh::search {

enum class Strata {
  kKnuth,  ///< One per level.
  /// By the choice that is decided next, and the product of the numbers of values that all open
  /// decisions may still take, to a factor of four: finer than the number of open decisions alone,
  /// which the paper takes.
  kChen,
};

/// "knuth", "chen".
const char* StrataName(Strata strata);

struct SizeEstimate;

struct SampleOptions {
  std::uint64_t samples = UINT64_MAX;
  std::uint64_t seed = 1;
  int jobs = 1;
  /// Asked between samples, from one thread at a time; true ends the sampling, but not before two
  /// samples are complete.
  std::function<bool()> enough;
  /// Asked within samples, which may take minutes, from one thread at a time; true gives up those
  /// that are not complete, however few are.
  std::function<bool()> cancelled = {};
  /// Told of the samples that are complete, now and then, from one thread at a time.
  std::function<void(const SizeEstimate&)> progress = {};
};

/// Mean numbers of one level: with enough samples, those of the tree.
struct LevelEstimate {
  long double nodes = 0;
  long double dead_ends = 0;        ///< Nodes without a valid child, though something is open.
  long double implementations = 0;  ///< Nodes with nothing left to decide.
  long double cut = 0;              ///< Children that the cut removed: no nodes.
};

/// What the decisions of one choice are to an implementation drawn uniformly: how many of them were
/// taken above it, and the product of their numbers of valid children, as a logarithm.
struct ChoiceBranching {
  long double decisions = 0;
  long double log10_children = 0;
};

struct SizeEstimate {
  Strata strata = Strata::kKnuth;
  SampleMean implementations, dead_ends;
  std::vector<LevelEstimate> levels;
  std::map<std::string, ChoiceBranching> choices;  ///< Those that some implementation decides.
  /// Of the samples, those that found no implementation although the cut took nothing away. Of
  /// Knuth's estimator this is the share of dead ends of the paper (section 5.2).
  DeadEndShare descents;

  std::uint64_t samples() const { return implementations.count(); }
  /// Half the interval of the number of implementations, as a share of it.
  long double relative_error() const;
  /// dead ends / (dead ends + implementations): the share of the leaves of the tree.
  long double dead_leaves() const;
};

/// Samples the tree below `root`, which is a fixpoint. Sample i depends on the seed and i alone:
/// the estimate is the same whatever the number of threads when `samples` ends it.
SizeEstimate EstimateSize(const runtime::Candidate& root, const ChoiceOrder& order, Strata strata,
                          const SampleOptions& options, const Cut& cut = {});

}  // namespace exh::search
