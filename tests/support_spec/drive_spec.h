// SPDX-License-Identifier: MIT
//
// Drives a generated space on the engine and holds it to a SpecOracle: no implementation is lost,
// nothing illegal is accepted, the fixpoint does not depend on the order of decisions, copies are
// independent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dsl/spec.h"
#include "runtime/candidate.h"
#include "tests/support_spec/spec_oracle.h"

namespace exh::tests {

struct SpecDriveResult {
  std::size_t solutions = 0, implementations = 0, dead_ends = 0;
  bool root_is_dead = false;
};

/// Freezes the generated `space` over the generated `host`. `check` is called at every fixpoint.
/// Adds GoogleTest failures that name the seed. The oracle numbers objects as the host does.
SpecDriveResult DriveGenerated(const runtime::Space& space, const runtime::Host& host,
                               const dsl::Spec& spec, const SpecWorld& world,
                               const std::function<void(const runtime::Candidate&)>& check,
                               std::uint64_t seed, int num_descents = 40);

}  // namespace exh::tests
