// SPDX-License-Identifier: MIT
//
// Attributes of an operation as they stand in the JSON: a list of names with values. Which kind has
// which of them is one table; what they mean, shapes.h knows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/fused/graph/json_fields.h"
#include "kernels/fused/graph/kinds.h"

namespace exh::kernels::fused {

/// By name: the values, with their places.
using NamedFields = std::map<std::string, Field, std::less<>>;

/// Nothing, and a mistake, where the list is malformed or has a name that the kind has not. Hints,
/// which change no result, are left out: any kind may have them.
std::optional<NamedFields> ReadAttributes(Kind kind, const Field& list, Mistakes& mistakes);

/// The attribute, or a field that is not there.
Field AttributeOf(const NamedFields& attributes, std::string_view name);

}  // namespace exh::kernels::fused
