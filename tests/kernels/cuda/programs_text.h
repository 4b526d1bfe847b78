// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/ir/types.h"

namespace exh::kernels::cuda::testing {

/// What the fake driver takes for machine code of the device programs (fake_kernels.h).
inline std::string ProgramsText() {
  std::string text =
      "fake cubin\nkernel exh_guard guard\nkernel exh_hash hash\nkernel exh_clock clock\n"
      "kernel exh_deadline deadline\n";
  for (const ir::TypeInfo& info : ir::AllTypes()) {
    const std::string word(info.word);
    text += "kernel exh_check_" + word + " check type=" + word + "\n";
  }
  return text;
}

}  // namespace exh::kernels::cuda::testing
