// SPDX-License-Identifier: MIT
//
// Values that cross between processes as one line of JSON each.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace exh::kernels::cuda {

/// The line, with its end. Bytes that are no UTF-8 are replaced.
inline std::string JsonLine(const nlohmann::json& object) {
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// `read(object, value)` fills the value; nothing when the text is no JSON or lacks a field.
template <typename T, typename Read>
std::optional<T> ParseJsonLine(const std::string& line, Read read) {
  try {
    T value;
    nlohmann::json object = nlohmann::json::parse(line);
    read(object, value);
    return value;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace exh::kernels::cuda
