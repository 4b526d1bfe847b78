// SPDX-License-Identifier: MIT
//
// The size of a space: counted where that is possible, estimated otherwise, and said in words and
// as JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "runtime/candidate.h"
#include "search/count/size.h"
#include "search/count/size_estimate.h"
#include "search/descend/choice_order.h"
#include "search/descend/cut.h"

namespace exh::search {

enum class SizeMethod {
  kAuto,   ///< Counts; when that takes too many nodes, both estimators, half of the budget each.
  kKnuth,  ///< Only this one.
  kChen,
};

/// "auto", "knuth", "chen". Throws UsageError with the nearest.
SizeMethod ParseSizeMethod(std::string_view text);

struct SizeRequest {
  SizeMethod method = SizeMethod::kAuto;
  std::uint64_t max_exact_nodes = 500'000;  ///< Of kAuto: what is counted before it estimates.
  std::optional<std::uint64_t> samples;     ///< Of each estimator; without them the time decides.
  std::string budget;  ///< Of all estimators together, "60s"; empty: the samples decide.
  std::uint64_t seed = 1;
  int jobs = 1;
  std::function<bool()> interrupted;  ///< Ends the sampling; the count is then given up.
  /// Of kAuto, asked once when the tree is too large to be counted: true, nothing is to be
  /// estimated. It has a sixth of the budget, and the estimators the rest.
  std::function<bool()> instead;
  /// Told now and then, from any thread, with what to show of how far it is.
  std::function<void(const std::function<std::string()>&)> progress;
};

/// Of the budget, what SizeRequest::instead has.
inline constexpr double kInsteadShare = 1.0 / 6;

struct SizeReport {
  std::vector<LevelCount> exact;        ///< All levels; empty when they were not counted.
  std::vector<SizeEstimate> estimates;  ///< The one to be believed first; of two samples or more.
};

/// How many implementations there are by an estimate.
struct SizeClaim {
  long double low = 0;
  std::optional<long double> high;  ///< Nothing: samples do not tell.
};
/// What can be said by each of the estimates: with a probability of 95 % all of it is true. Where
/// few samples carry the sum, or intervals exclude each other, nothing is known but how many there
/// are at least.
std::vector<SizeClaim> ClaimsOf(const std::vector<SizeEstimate>& estimates);

/// Of the tree below `root`, a fixpoint, less what is cut. Estimates with a tail that their
/// interval does not cover come last, and those with a tight interval first.
SizeReport FindSize(const runtime::Candidate& root, const ChoiceOrder& order,
                    const SizeRequest& request, const Clock& clock, const Cut& cut = {});

/// What a person reads; `name` is that of the kernel.
std::string SizeText(std::string_view name, const SizeReport& report);

/// The same, with every level. Numbers that are not known are null.
nlohmann::ordered_json SizeJson(const SizeReport& report);

}  // namespace exh::search
