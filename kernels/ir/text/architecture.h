// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace exh::kernels::ir {

/// What a compiler is asked for: the architecture of the GPU, "sm_90", or, where the text has
/// instructions that this one has and no later one, "sm_90a".
inline std::string ArchitectureFor(std::string_view source, const std::string& architecture) {
  constexpr std::string_view kHopper = "sm_90";
  const bool is_specific = architecture == kHopper && source.find("wgmma.") != source.npos;
  return architecture + (is_specific ? "a" : "");
}

}  // namespace exh::kernels::ir
