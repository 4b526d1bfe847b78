// SPDX-License-Identifier: MIT
//
// Whole simulations: a search of a real space by the explorer (run/explorer.h) with its proposer,
// tree, bound and cost model, of which every evaluation is answered by an oracle. Time is what
// finding implementations takes; nothing is compiled and nothing measured.
//
// Several settings are compared, each with the same seeds: the usual one, and some that differ from
// it in one constant of the proposer. All are held against the best that was recorded: no answer is
// faster.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/propose/constants/constants.h"
#include "search/run/explorer_options.h"
#include "search/simulate/traces.h"
#include "search/simulate/whole/oracle_evaluator.h"

namespace exh::search {

/// What is searched, and how. References outlive what uses it.
struct WholeSpace {
  const runtime::Candidate& root;
  const ChoiceOrder& order;
  const Oracle& oracle;
  EmitFunction emit;
  std::uint64_t most_text_bytes = 0;  ///< As Evaluator::most_text_bytes() of the device.
  /// As of a real search, but for its seed. Each simulation is one thread: `batch` implementations
  /// are found before anything is learned of them.
  ExplorerOptions options = {};
  std::uint64_t evaluations = 2000;  ///< That a search may make, 1 or more.
};

/// The usual setting, or one that differs in a constant.
struct WholeSetting {
  std::optional<ChangedConstant> change;
  std::string Text() const { return change ? change->Text() : "default"; }
};

/// One search. The same seed gives the same trace.
Trace SimulateWhole(const WholeSpace& space, const WholeSetting& setting, std::uint64_t seed);

/// What came of the seeds of one setting, as factors of the best that was recorded.
struct WholeResult {
  std::string setting;
  /// After so many evaluations: the geometric mean over the seeds, the least and the most; infinity
  /// as long as a seed has found nothing correct.
  struct Look {
    double evaluations = 0;
    double mean = 0, least = 0, most = 0;
    std::vector<double> all = {};  ///< By seed.
  };
  std::vector<Look> looks;       ///< An eighth, a quarter, a half and all of the evaluations.
  std::vector<Reached> reached;  ///< 5 % and 1 %.
  /// Of the default setting with the same seeds: how many times as slow, as geometric mean over
  /// looks and seeds, and its standard error. 1 and 0 of the default itself.
  double against_default = 1, error = 0;
};

struct WholeResults {
  std::vector<WholeResult> settings;
  std::uint64_t evaluations = 0;  ///< Of all searches together.
};

/// Simulates the default and each change, with `seeds` (1 or more) seeds from `first` on, `jobs`
/// searches at once. The results depend on `jobs` in nothing.
WholeResults SimulateWhole(const WholeSpace& space, std::span<const ChangedConstant> changes,
                           std::uint64_t first, int seeds, int jobs);

}  // namespace exh::search
