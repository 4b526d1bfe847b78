// SPDX-License-Identifier: MIT
#include "runtime/schedule_support.h"

#include <algorithm>
#include <string>

#include "runtime/host_support.h"

namespace exh::runtime {

void CheckHasChoicesOf(const Space& space, const Space& model) {
  for (const Choice& wanted : model.choices) {
    if (wanted.kind == ChoiceKind::kCounter) continue;
    const auto found =
        std::find_if(space.choices.begin(), space.choices.end(),
                     [&](const Choice& choice) { return choice.name == wanted.name; });
    const std::string where = "space " + space.name;
    if (found == space.choices.end() || found->kind != wanted.kind) {
      throw HostError(where, "lacks the choice '" + wanted.name + "' of the space " + model.name +
                                 ", whose files it must include");
    }
    if (found->values != wanted.values) {
      throw HostError(where, "the choice '" + wanted.name +
                                 "' has other values than in the space " + model.name);
    }
  }
}

}  // namespace exh::runtime
