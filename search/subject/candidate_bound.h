// SPDX-License-Identifier: MIT
//
// The lower bound (models/) of candidates of one problem.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernels/codegen/plan/processor_counts.h"
#include "kernels/codegen/plan/static_counts.h"
#include "models/inventory/domains.h"
#include "models/lower_bound.h"
#include "runtime/candidate.h"
#include "search/descend/bound_function.h"
#include "search/subject/problem.h"

namespace exh::search {

/// How fast a device can be. Throws UsageError when nothing is known of it.
///
/// Of this machine: Backend::RatesFile, measured first where that is to be and can be; what is
/// recorded where it cannot, on a busy machine above all.
models::DeviceRates RatesOf(const kernels::ir::Device& device,
                            WhichRates which = WhichRates::kOfThisMachine);

/// The same of this machine where it is known by now; nothing is measured.
std::optional<models::DeviceRates> KnownRates(const kernels::ir::Device& device);

/// Any number of threads may use one.
class CandidateBound {
 public:
  /// With the rates of kernels/devices/rates. `problem` outlives the bound. Throws UsageError when
  /// nothing is known of the device's speed.
  explicit CandidateBound(const Problem& problem,
                          models::CacheState caches = models::CacheState::kWarm);
  CandidateBound(const Problem& problem, const models::DeviceRates& rates,
                 models::CacheState caches);

  /// Nanoseconds that every implementation below the candidate takes at least. The candidate is a
  /// fixpoint. What reaches `enough` is not looked at any closer.
  double Ns(const runtime::Candidate& candidate, double enough = HUGE_VAL) const;
  /// What it counts of an implementation (models/lower_bound.h).
  void Amounts(const runtime::Candidate& candidate, std::span<double> amounts) const;
  std::size_t num_amounts() const { return bound_.num_amounts(); }
  std::vector<std::uint16_t> KindsOfAmounts() const { return bound_.KindsOfAmounts(); }
  /// What is counted of lowered code. The last of it is a guess of the time, in nanoseconds. Empty
  /// for a device of which nothing is counted.
  struct Counts {
    std::vector<std::string> names;
    std::vector<std::uint16_t> kinds;  ///< As AmountsFunction has them.
  };
  Counts NamesOfCounts() const;
  /// What its lowered code costs a GPU (kernels/codegen/plan/static_counts.h) or a processor
  /// (processor_counts.h), by NamesOfCounts(). Of an implementation. Throws Refused where it has no
  /// code.
  void Count(const runtime::Candidate& implementation, std::span<double> counts) const;
  /// The bound with what led to it.
  models::Bound Explain(const runtime::Candidate& candidate) const;

 private:
  const kernels::Task& task_;
  models::LowerBound bound_;
  std::variant<std::monostate, kernels::codegen::GpuLimits, kernels::codegen::ProcessorLimits>
      limits_;
};

/// `problem` outlives it. Throws UsageError when nothing is known of the device's speed.
SearchBound MakeSearchBound(const Problem& problem, models::CacheState caches,
                            WhichRates which = WhichRates::kOfThisMachine);

}  // namespace exh::search
