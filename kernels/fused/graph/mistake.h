// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace exh::kernels::fused {

/// Why an operator was not taken.
struct Mistake {
  enum class What : std::uint8_t {
    kMalformed,  ///< The file says something that makes no sense: whoever wrote it is to change it.
    kRefused,    ///< It makes sense, but this program does not have it.
  };
  What what = What::kMalformed;
  std::string place;   ///< In the JSON: "op_desc[3].input_desc[1][0].shape"; empty: all of it.
  std::string text;    ///< What is wrong, and what would be right. No full stop.
  std::string reason;  ///< The same for many operators, to be counted: "operator MatMul".
};
using Mistakes = std::vector<Mistake>;

/// "op_desc[0].name: …".
inline std::string TextOf(const Mistake& mistake) {
  return mistake.place.empty() ? mistake.text : mistake.place + ": " + mistake.text;
}

}  // namespace exh::kernels::fused
