// SPDX-License-Identifier: MIT
#include "search/near/structure.h"

#include "base/check.h"
#include "base/hash.h"

namespace exh::search {
namespace {

bool IsThere(const runtime::Candidate& candidate, int set, runtime::Object object) {
  return candidate.membership(set, runtime::kNoObject, object) == runtime::Membership::kCertain;
}

}  // namespace

Structure::Structure(const runtime::Candidate& root) {
  const runtime::Space& space = root.instance().space();
  for (int number = 0; number < static_cast<int>(space.sets.size()); ++number) {
    const runtime::Set& set = space.sets[static_cast<std::size_t>(number)];
    // A quotient set adds no objects: it chooses representatives among those that there are.
    if (set.superset >= 0 || set.parameter_set >= 0 || set.is_quotient) continue;
    for (const runtime::Host::Member& member : root.instance().members(number)) {
      if (!IsThere(root, number, member.object)) planned_.push_back({number, member.object});
    }
  }
}

std::uint64_t Structure::Of(const runtime::Candidate& implementation) const {
  std::uint64_t hash = 0;
  for (std::size_t index = 0; index < planned_.size(); ++index) {
    if (!IsThere(implementation, planned_[index].first, planned_[index].second)) continue;
    hash = Fnv1a64({reinterpret_cast<const char*>(&index), sizeof(index)}, hash);
  }
  return hash;
}

std::vector<runtime::MembershipAction> Structure::ActionsOf(
    const runtime::Candidate& implementation) const {
  std::vector<runtime::MembershipAction> actions;
  for (const auto& [set, object] : planned_) {
    actions.push_back({set, object, IsThere(implementation, set, object)});
  }
  return actions;
}

std::uint64_t KnownStructures::Add(const runtime::Candidate& implementation) {
  const std::uint64_t number = structure_.Of(implementation);
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = known_.try_emplace(number);
  if (is_new) place->second = structure_.ActionsOf(implementation);
  return number;
}

runtime::Candidate KnownStructures::Confined(std::uint64_t structure) const {
  runtime::Candidate confined = root_;
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(structure);
  if (known == known_.end()) return confined;
  // An implementation below the root has exactly these objects.
  const runtime::Propagation result = confined.Restrict(known->second);
  EXH_CHECK(result == runtime::Propagation::kFixpoint);
  return confined;
}

}  // namespace exh::search
