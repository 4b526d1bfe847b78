// SPDX-License-Identifier: MIT
//
// Shops for the golden spaces, and what the oracle must know of them.
#pragma once

#include <functional>
#include <string>

#include "runtime/candidate.h"
#include "tests/generator/toy/toy.h"
#include "tests/support_spec/drive_spec.h"
#include "tests/support_spec/spec_oracle.h"

namespace exh::tests {

/// `count` tasks of priorities 0, 1, 2, …
toy::Shop SomeTasks(int count);

/// The sets Tasks, Jobs, JobTasks as lists.
SpecWorld WorldOf(const toy::Shop& shop);

/// Reads golden/<feature>/<file> again for the oracle and drives the generated space with a few
/// seeds; `check` sees every fixpoint.
SpecDriveResult DriveGolden(const std::string& feature, const runtime::Space& space,
                            const runtime::Host& host, const SpecWorld& world,
                            const std::function<void(const runtime::Candidate&)>& check,
                            const std::string& file = "space.exh");

/// Calls `body(a, b)` for every two distinct tasks.
template <typename Body>
void ForPairs(const toy::Shop& shop, const Body& body) {
  for (const toy::Task& a : shop.tasks) {
    for (const toy::Task& b : shop.tasks) {
      if (a.id != b.id) body(a, b);
    }
  }
}

}  // namespace exh::tests
