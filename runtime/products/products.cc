// SPDX-License-Identifier: MIT
#include "runtime/products/products.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "runtime/internal/network/network.h"

namespace exh::runtime {

std::vector<Product> ProductsOf(const Instance& instance) {
  std::unordered_map<Slot, DecisionId> decisions;
  for (DecisionId decision = 0; decision < instance.num_decisions(); ++decision) {
    decisions.emplace(instance.slot(decision), decision);
  }
  const internal::Network& network = instance.network();
  std::vector<Product> products;
  for (std::uint32_t id = 0; id < network.counters.size(); ++id) {
    const internal::Counter& counter = network.counters[id];
    if (!counter.product) continue;
    Product product{{}, instance.root().counter(instance.layout(), id)};
    bool is_alone = true;
    for (std::uint32_t i = counter.increment_begin; i < counter.increment_end && is_alone; ++i) {
      const internal::Increment& increment = network.increments[i];
      const auto factor = decisions.find(increment.source);
      is_alone = increment.weight == internal::Increment::Weight::kSlot &&
                 increment.literal_begin == increment.literal_end && factor != decisions.end() &&
                 std::ranges::find(product.factors, factor->second) == product.factors.end();
      if (is_alone) product.factors.push_back(factor->second);
    }
    if (is_alone && product.factors.size() > 1) products.push_back(std::move(product));
  }
  return products;
}

}  // namespace exh::runtime
