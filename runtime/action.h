// SPDX-License-Identifier: MIT
//
// Action: a restriction that the search may apply, and its text form in logs and on command lines:
// "dim_kind(mad.m1)=LOOP", "size(mad.m1)=4|8".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/space.h"

namespace exh::runtime {

class Instance;

/// Dense index of an enum or integer decision of an Instance: 0 <= id < num_decisions().
using DecisionId = std::uint32_t;
inline constexpr DecisionId kNoDecision = 0xFFFFFFFF;

/// "Intersect the domain of the decision with these values" (bits as stored, see FindDecision).
struct Action {
  DecisionId decision = kNoDecision;
  Bits values = 0;
  friend bool operator==(const Action&, const Action&) = default;
};

/// "order(mad.m1,load_a)=BEFORE|INNER", in the stored orientation of the decision.
std::string ActionText(const Instance& instance, const Action& action);

/// Reads ActionText back; a pair may be given in either orientation and blanks are skipped. On a
/// mistake returns nothing and sets `error` to one line that names what is unknown and the nearest
/// legal name.
std::optional<Action> ParseAction(const Instance& instance, std::string_view text,
                                  std::string* error);

}  // namespace exh::runtime
