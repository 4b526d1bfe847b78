// SPDX-License-Identifier: MIT
//
// Fused operators for tests, as JSON from a few words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernels/fused/graph/graph.h"

namespace exh::kernels::fused::testing {

struct OperationText {
  std::string name;
  /// Names of tensors, or numbers: "2: float32".
  std::vector<std::string> inputs;
  std::string output;                                    ///< "z: float32 [2, 3]".
  nlohmann::json attributes = nlohmann::json::object();  ///< Name to value.
};

/// `inputs`: "x: float32 [2, 3]"; `outputs`: names.
nlohmann::json OperatorJson(const std::vector<std::string>& inputs,
                            const std::vector<OperationText>& operations,
                            const std::vector<std::string>& outputs);

/// The graph; the test fails where there are mistakes.
Graph GraphOf(const nlohmann::json& text);

/// "place: text", a line for each mistake.
std::string MistakesOf(const std::string& text);
inline std::string MistakesOf(const nlohmann::json& text) {
  return MistakesOf(text.dump());
}

}  // namespace exh::kernels::fused::testing
