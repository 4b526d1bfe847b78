// SPDX-License-Identifier: MIT
//
// What the generated Decisions, Schedule and DomainReader of a space are made of.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "runtime/candidate.h"
#include "runtime/decided.h"
#include "runtime/enum_domain.h"
#include "runtime/int_domain.h"

namespace exh::runtime {

/// Which membership: is the object in the set?
struct MemberRef {
  int set = -1;
  Object object = kNoObject;
};

/// The domain of a decision, in the order of arguments that the reference stands for.
inline Bits BitsOf(const Candidate& candidate, DecisionRef decision) {
  const Bits values = candidate.domain(decision.id);
  if (!decision.swapped) return values;
  const Instance& instance = candidate.instance();
  return instance.Invert(instance.choice(decision.id), values);
}

inline Membership MembershipOf(const Candidate& candidate, MemberRef member) {
  return candidate.membership(member.set, kNoObject, member.object);
}

/// Where the decisions of a choice are. `id_of...`: for each argument the member of the host that
/// makes an object's id. A decision that says the same of its two arguments in either order is
/// there for both.
template <typename SpaceHost, typename... Ids>
void FindDecisionsOf(const SpaceHost& host, const Instance& instance, int choice,
                     Decided<DecisionRef, Ids...>& found,
                     std::type_identity_t<const Ids& (SpaceHost::*)(Object) const>... id_of) {
  const bool both = instance.space().choices[choice].symmetry != Symmetry::kNone;
  const auto set = [&]<std::size_t... at>(DecisionRef where,
                                          [[maybe_unused]] std::span<const Object> objects,
                                          std::index_sequence<at...>) {
    found.Set((host.*id_of)(objects[at])..., where);
  };
  constexpr auto kPlaces = std::index_sequence_for<Ids...>();
  for (DecisionId id = instance.first_decision(choice); id < instance.end_decision(choice); ++id) {
    const std::span<const Object> objects = instance.objects(id);
    set({id, false}, objects, kPlaces);
    if (both) set({id, true}, std::array<Object, 2>{objects[1], objects[0]}, kPlaces);
  }
}

/// Where the memberships are of everything that is or may become a member of a set.
template <typename SpaceHost, typename Id>
void FindMembersOf(const SpaceHost& host, const Instance& instance, int set,
                   Decided<MemberRef, Id>& found,
                   std::type_identity_t<const Id& (SpaceHost::*)(Object) const> id_of) {
  for (const Host::Member& member : instance.members(set)) {
    found.Set((host.*id_of)(member.object), {set, member.object});
  }
}

/// What an implementation decided: the values of the decisions whose objects take part.
template <typename E, typename... Ids>
Decided<E, Ids...> ExtractValues(const Decided<DecisionRef, Ids...>& decisions,
                                 const Candidate& candidate) {
  return decisions.template Map<E>([&](DecisionRef decision) -> std::optional<E> {
    if (!candidate.IsLive(decision.id)) return std::nullopt;
    const auto domain = EnumDomain<E>::FromBits(BitsOf(candidate, decision));
    EXH_CHECK(domain.IsConstrained());
    return domain.value();
  });
}

template <typename... Ids>
Decided<std::uint32_t, Ids...> ExtractNumbers(const Decided<DecisionRef, Ids...>& decisions,
                                              const Candidate& candidate) {
  return decisions.template Map<std::uint32_t>(
      [&](DecisionRef decision) -> std::optional<std::uint32_t> {
        if (!candidate.IsLive(decision.id)) return std::nullopt;
        const IntDomain domain = IntDomainOf(candidate, decision);
        EXH_CHECK(domain.IsConstrained());
        return domain.value();
      });
}

template <typename... Ids>
Decided<bool, Ids...> ExtractMembers(const Decided<MemberRef, Ids...>& members,
                                     const Candidate& candidate) {
  return members.template Map<bool>([&](MemberRef member) -> std::optional<bool> {
    const Membership membership = MembershipOf(candidate, member);
    EXH_CHECK(membership != Membership::kUndecided);
    return membership == Membership::kCertain;
  });
}

/// Base of a generated DomainReader: it names choices, this reads.
class DomainReaderBase {
 public:
  explicit DomainReaderBase(const Candidate& candidate) : candidate_(&candidate) {}

 protected:
  Bits Values(DecisionRef decision) const { return BitsOf(*candidate_, decision); }
  IntDomain Numbers(DecisionRef decision) const { return IntDomainOf(*candidate_, decision); }
  Membership Member(MemberRef member) const { return MembershipOf(*candidate_, member); }

 private:
  const Candidate* candidate_;
};

/// Does `space` have every choice of `model`, with the same values in the same order? A space that
/// includes the files of another one has; then a reference to one of its decisions means the same
/// to both. Throws HostError, which names what differs.
void CheckHasChoicesOf(const Space& space, const Space& model);

}  // namespace exh::runtime
