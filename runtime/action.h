// SPDX-License-Identifier: MIT
//
// Action: a restriction that the search may apply, and its text form in logs and on command lines:
// "dim_kind(mad.m1)=LOOP", "size(mad.m1)=4|8".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/host.h"
#include "runtime/space.h"

namespace exh::runtime {

class Instance;

/// Dense index of an enum or integer decision of an Instance: 0 <= id < num_decisions().
using DecisionId = std::uint32_t;
inline constexpr DecisionId kNoDecision = 0xFFFFFFFF;

/// "Intersect the domain of the decision with these values" (bits as stored, see FindDecision). Of
/// a long decision one says of which word the values are, and whether those of the others stay.
struct Action {
  DecisionId decision = kNoDecision;
  std::uint16_t word = 0;  ///< `values` are numbers 64 word … 64 word + 63 of the decision.
  bool keeps_other_words = false;
  Bits values = 0;

  Action() = default;
  Action(DecisionId decision_, Bits values_, std::uint16_t word_ = 0, bool keeps = false)
      : decision(decision_), word(word_), keeps_other_words(keeps), values(values_) {}
  /// The decision takes this value.
  static Action Take(DecisionId decision, int value) {
    return {decision, Bits{1} << value % 64, static_cast<std::uint16_t>(value / 64)};
  }
  /// The decision does not take this value.
  static Action Leave(DecisionId decision, int value) {
    return {decision, ~(Bits{1} << value % 64), static_cast<std::uint16_t>(value / 64), true};
  }
  friend bool operator==(const Action&, const Action&) = default;
};

/// That an object is a member of a set, or is none. Of sets without parameter and superset, such as
/// those that triggers add to.
struct MembershipAction {
  int set = -1;  ///< Index in Space::sets.
  Object object = kNoObject;
  bool is_member = false;
};

/// "order(mad.m1,load_a)=BEFORE|INNER", in the stored orientation of the decision. Of a long
/// decision, three and more consecutive numbers are a range: "start(a)=0..12|40".
std::string ActionText(const Instance& instance, const Action& action);

/// Reads ActionText back; a pair may be given in either orientation and blanks are skipped. Values
/// in several words of a long decision are as many actions, all of which are to be applied; of any
/// other decision it is one. On a mistake returns nothing and sets `error` to one line that names
/// what is unknown and the nearest legal name.
std::optional<std::vector<Action>> ParseActions(const Instance& instance, std::string_view text,
                                                std::string* error);
/// The same for text that is one action; several are a mistake.
std::optional<Action> ParseAction(const Instance& instance, std::string_view text,
                                  std::string* error);

}  // namespace exh::runtime
