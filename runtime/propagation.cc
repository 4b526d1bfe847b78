// SPDX-License-Identifier: MIT
#include "runtime/propagation.h"

namespace exh::runtime {
namespace {

std::string At(const Position& position) {
  if (position.file.empty()) return "";
  return " (" + position.file + ":" + std::to_string(position.line) + ")";
}

}  // namespace

std::string OriginText(const Space& space, const Origin& origin) {
  switch (origin.kind) {
    case Origin::Kind::kNone:
      return "the decision itself";
    case Origin::Kind::kRequirement: {
      const Requirement& requirement = space.requirements[origin.index];
      return "requirement " + requirement.label + At(requirement.position);
    }
    case Origin::Kind::kCounter: {
      const Choice& choice = space.choices[origin.index];
      return "counter " + choice.name + At(choice.position);
    }
    case Origin::Kind::kTrigger: {
      const Trigger& trigger = space.triggers[origin.index];
      return "trigger " + trigger.label + At(trigger.position);
    }
    case Origin::Kind::kQuotient: {
      const Choice& flag = space.choices[space.quotients[origin.index].flag];
      return "quotient set " + space.sets[space.quotients[origin.index].set].name +
             At(flag.position);
    }
  }
  return "";
}

}  // namespace exh::runtime
