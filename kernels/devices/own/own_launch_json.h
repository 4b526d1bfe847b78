// SPDX-License-Identifier: MIT
//
// OwnLaunch as JSON: in the text of an implementation, and in what is asked of a process.
#pragma once

#include <nlohmann/json.hpp>

#include "kernels/devices/own/own_kernel.h"

namespace exh::kernels {

template <typename Json>
void to_json(Json& json, const OwnLaunch& launch) {
  json = {{"grid", launch.grid},
          {"block", launch.block},
          {"shared", launch.shared},
          {"cluster", launch.cluster},
          {"scalars", launch.scalars}};
}

/// Throws json::exception when a field is missing.
template <typename Json>
void from_json(const Json& json, OwnLaunch& launch) {
  json.at("grid").get_to(launch.grid);
  json.at("block").get_to(launch.block);
  json.at("shared").get_to(launch.shared);
  json.at("cluster").get_to(launch.cluster);
  json.at("scalars").get_to(launch.scalars);
}

}  // namespace exh::kernels
