// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include "dsl/spec.h"

namespace exh::dsl {

/// The keys of a set as they are written, indexed by SetKey.
inline constexpr std::array<std::string_view, kNumSetKeys> kSetKeyWords = {
    "item_type",     "id_type", "item_getter", "id_getter", "iterator",
    "from_superset", "reverse", "add_to_set",  "new_objs",  "var_prefix",
};

/// `an enum`, `an integer`, `a counter`.
constexpr std::string_view KindInWords(ChoiceKind kind) {
  switch (kind) {
    case ChoiceKind::kEnum:
      return "an enum";
    case ChoiceKind::kInteger:
      return "an integer";
    case ChoiceKind::kCounter:
      return "a counter";
  }
  return "";
}

}  // namespace exh::dsl
