// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "kernels/vendor_call.h"

namespace exh::kernels {

// A VendorCall as JSON, for the process that runs it. Reading throws json::exception when a field
// is missing.
void to_json(nlohmann::json& object, const VendorStep& step);
void from_json(const nlohmann::json& object, VendorStep& step);
void to_json(nlohmann::json& object, const VendorCall& call);
void from_json(const nlohmann::json& object, VendorCall& call);

}  // namespace exh::kernels
