// SPDX-License-Identifier: MIT
//
// The lower bound of every implementation below a partially specified candidate, in two tiers.
// Whatever is open is taken at its best, term by term (terms/list.h), and the bound is the largest
// term, with what passes between launches besides (terms/term.h).
//
// The first tier is throughput: for each resource the least amount that the busiest unit has to
// work off, over the fastest rate of the device. A block runs on one unit, so of n blocks some unit
// runs at least ceil(n / units): amounts are counted for the whole kernel and for one block, and
// each yields what the busiest unit has.
//
// The second tier is latency: what a thread has to wait for, one after the other, while no more
// blocks are on a unit than fit (residency.h).
//
// README.md says why each amount is one that no implementation can go below.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/ir/target.h"
#include "models/bound.h"
#include "models/device_rates.h"
#include "models/inventory/domains.h"
#include "models/inventory/inventory.h"

namespace exh::models {

class LowerBound {
 public:
  /// `function` is frozen and outlives the bound.
  LowerBound(const kernels::ir::Target& function, const DeviceRates& rates,
             CacheState caches = CacheState::kWarm)
      : inventory_(TakeInventory(function, rates, caches)) {}

  /// Nanoseconds; 0 when nothing is known. `domains` are those of a candidate of `function`; a
  /// candidate below it has no smaller bound. Once a tier reaches `enough`, what it has is the
  /// result. Allocates nothing; any number of threads may call.
  double Ns(const Domains& domains, double enough = HUGE_VAL) const;

  /// What is counted on the way, for a model that learns how long things really take
  /// (search/learn/cost_model.h): the bound, amounts by resource, of each nest and operand what its
  /// loops come to, and what blocks yield of each reduction that they may divide; always in the
  /// same order; 0 or more, and 0 of what is absent. Returns the bound. `amounts` has num_amounts()
  /// places. Allocates nothing; any number of threads may call.
  double Amounts(const Domains& domains, std::span<double> amounts) const;
  std::size_t num_amounts() const;
  /// Of each amount, what it counts: the same number is the same thing, in functions of any kernel.
  /// Those that stand once come first, then those of each nest, of its axes, of each operand and of
  /// each reduction.
  std::vector<std::uint16_t> KindsOfAmounts() const;
  /// How many kinds there are, in functions of any kernel.
  static std::size_t NumKindsOfAmounts();

  /// The same number with what led to it.
  Bound Explain(const Domains& domains) const;

 private:
  Inventory inventory_;
};

}  // namespace exh::models
