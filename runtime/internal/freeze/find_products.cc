// SPDX-License-Identifier: MIT
//
// Products of decisions alone (Instance::products()). Before sums are split: then each counter
// still has all its increments.
#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/internal/freeze/freezer.h"

namespace exh::runtime::internal {

void Freezer::FindProducts() {
  std::unordered_map<Slot, DecisionId> decisions;
  for (DecisionId decision = 0; decision < instance_->num_decisions(); ++decision) {
    decisions.emplace(instance_->slot(decision), decision);
  }
  for (std::uint32_t id = 0; id < network_.counters.size(); ++id) {
    const Counter& counter = network_.counters[id];
    if (!counter.product) continue;
    std::vector<DecisionId> factors;
    bool is_alone = true;
    for (std::uint32_t i = counter.increment_begin; i < counter.increment_end && is_alone; ++i) {
      const Increment& increment = network_.increments[i];
      is_alone = increment.weight == Increment::Weight::kSlot &&
                 increment.literal_begin == increment.literal_end;
      if (!is_alone) break;
      const auto factor = decisions.find(increment.source);
      is_alone =
          factor != decisions.end() && std::ranges::find(factors, factor->second) == factors.end();
      if (is_alone) factors.push_back(factor->second);
    }
    if (is_alone && factors.size() > 1) instance_->products_.push_back({std::move(factors), id});
  }
}

}  // namespace exh::runtime::internal
