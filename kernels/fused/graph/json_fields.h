// SPDX-License-Identifier: MIT
//
// Fields of JSON with their places: whatever is not as it must be becomes a Mistake, never an
// exception.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/fused/graph/mistake.h"

namespace exh::kernels::fused {

/// A value of JSON that outlives this, and where it is.
struct Field {
  const nlohmann::json* value = nullptr;  ///< Null: it is not there.
  std::string place;

  bool is_there() const { return value != nullptr && !value->is_null(); }
  /// The value under a key; nothing is there if this is no object or has no such key.
  Field operator[](std::string_view key) const;
  Field at(std::size_t index) const;  ///< Of a list.
};

/// What stands there instead: "a list", "the text 'x'".
std::string Found(const Field& field);

/// Reads what must be there; adds a mistake and returns nothing where it is not.
std::optional<std::string> ReadText(const Field& field, Mistakes& mistakes);
std::optional<bool> ReadFlag(const Field& field, Mistakes& mistakes);
std::optional<std::int64_t> ReadInteger(const Field& field, Mistakes& mistakes);
std::optional<std::vector<std::int64_t>> ReadIntegers(const Field& field, Mistakes& mistakes);
/// The entries of a list; null, or nothing there: none of them, where that `may_be_absent`.
std::optional<std::vector<Field>> ReadList(const Field& field, bool may_be_absent,
                                           Mistakes& mistakes);

/// A malformed text of JSON: "line 3, column 7: …". `parsed` gets the value otherwise.
std::optional<Mistake> ParseJson(std::string_view text, nlohmann::json& parsed);

}  // namespace exh::kernels::fused
