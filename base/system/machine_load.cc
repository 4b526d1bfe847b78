// SPDX-License-Identifier: MIT
#include "base/system/machine_load.h"

#include <fmt/format.h>
#include <stdlib.h>

namespace exh {

MachineLoad LoadOfMachine() {
  double load = 0;
  if (::getloadavg(&load, 1) != 1) return {};
  constexpr double kLittle = 0.5;
  const bool disturbs = load > kLittle;
  return {fmt::format("{:.2f}{}", load, disturbs ? ": other work will disturb the times" : ""),
          disturbs};
}

}  // namespace exh
