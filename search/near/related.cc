// SPDX-License-Identifier: MIT
#include "search/near/related.h"

#include <cstddef>

namespace exh::search {

using runtime::DecisionId;

bool ShareObject(const runtime::Instance& instance, DecisionId a, DecisionId b) {
  const auto set_of = [&](DecisionId decision, std::size_t argument) {
    const runtime::Space& space = instance.space();
    const auto choice = static_cast<std::size_t>(instance.choice(decision));
    const int set = space.choices[choice].arguments[argument].set.set;
    return space.sets[static_cast<std::size_t>(set)].root;
  };
  const auto objects_a = instance.objects(a), objects_b = instance.objects(b);
  for (std::size_t i = 0; i < objects_a.size(); ++i) {
    for (std::size_t j = 0; j < objects_b.size(); ++j) {
      if (objects_a[i] == objects_b[j] && set_of(a, i) == set_of(b, j)) return true;
    }
  }
  return false;
}

}  // namespace exh::search
