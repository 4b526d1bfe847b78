// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace exh {

/// How busy the machine is with other work.
struct MachineLoad {
  std::string text;  ///< "1.25: other work will disturb the times"; empty when it is not known.
  bool disturbs = false;
};
MachineLoad LoadOfMachine();

}  // namespace exh
