// SPDX-License-Identifier: MIT
//
// Drives an engine against the oracle on one tiny space: no implementation is lost, nothing illegal
// is accepted, the fixpoint does not depend on the order of decisions, copies are independent,
// restricting is monotone and idempotent.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/instance.h"
#include "tests/support/table_host.h"

namespace exh::tests {

struct DriveResult {
  std::size_t solutions = 0, descents = 0, implementations = 0, dead_ends = 0;
};

/// Adds GoogleTest failures, each with `name` and the seed.
DriveResult DriveAgainstOracle(const TestSpace& test, const std::string& name, std::uint64_t seed,
                               int num_descents = 20, const runtime::FreezeOptions& options = {});

}  // namespace exh::tests
