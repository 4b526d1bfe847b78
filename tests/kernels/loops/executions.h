// SPDX-License-Identifier: MIT
//
// An interpreter of nests: which calls are executed, in which order.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/loops/nest.h"

namespace exh::kernels::loops::testing {

struct Execution {
  int statement = 0;
  std::vector<std::int64_t> arguments;
  auto operator<=>(const Execution&) const = default;
};

/// All executions of a nest whose variables have numbers below 64.
std::vector<Execution> ExecutionsOf(const NestNode& nest);

/// The same without their order.
std::vector<Execution> SortedExecutionsOf(const NestNode& nest);

}  // namespace exh::kernels::loops::testing
