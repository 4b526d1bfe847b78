// SPDX-License-Identifier: MIT
//
// Types of elements as the JSON calls them, and numbers of these types.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernels/fused/graph/json_fields.h"
#include "kernels/ir/types.h"

namespace exh::kernels::fused {

/// "float32".
std::string_view DataTypeName(ir::Type type);

std::optional<ir::Type> ReadDataType(const Field& field, Mistakes& mistakes);

/// A number, as the type has it: floats are rounded to it. Integers and bools must be what the type
/// holds exactly.
std::optional<double> ReadNumber(const Field& field, ir::Type type, Mistakes& mistakes);

}  // namespace exh::kernels::fused
