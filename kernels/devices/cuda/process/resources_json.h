// SPDX-License-Identifier: MIT
//
// KernelResources as JSON: between the compile processes and the pool, and in the cache.
#pragma once

#include <nlohmann/json.hpp>

#include "kernels/devices/cuda/driver/nvrtc.h"

namespace exh::kernels::cuda {

inline void to_json(nlohmann::json& object, const KernelResources& resources) {
  object = {{"registers", resources.registers},
            {"spill_bytes", resources.spill_bytes},
            {"shared_bytes", resources.shared_bytes},
            {"local_bytes", resources.local_bytes}};
}

/// Throws json::exception when a field is missing.
inline void from_json(const nlohmann::json& object, KernelResources& resources) {
  object.at("registers").get_to(resources.registers);
  object.at("spill_bytes").get_to(resources.spill_bytes);
  object.at("shared_bytes").get_to(resources.shared_bytes);
  object.at("local_bytes").get_to(resources.local_bytes);
}

}  // namespace exh::kernels::cuda
