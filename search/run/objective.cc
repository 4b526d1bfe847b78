// SPDX-License-Identifier: MIT
#include "search/run/objective.h"

#include <string>

#include "base/error.h"
#include "base/spelling.h"

namespace exh::search {

Objective ParseObjective(std::string_view name) {
  if (name == "time") return Objective::kTime;
  if (name == "memory") return Objective::kMemory;
  throw UsageError(UnknownName("objective", std::string(name), {"time", "memory"}));
}

}  // namespace exh::search
