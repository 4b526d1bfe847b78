// SPDX-License-Identifier: MIT
//
// What holds of all objects alike, written down for each of them or not: random descents in the
// spaces of kernels reach the same states.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "kernels/devices/device.h"
#include "kernels/library/registry.h"
#include "kernels/task.h"
#include "runtime/candidate.h"
#include "runtime/internal/network/network.h"
#include "tests/support/said.h"

namespace exh::kernels {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;

struct Steps {
  int all = 0, dead_ends = 0;
};

/// Two descents by the same decisions, which back out of dead ends.
void Descend(const runtime::Instance& uniform, const Candidate& root, const Candidate& other_root,
             std::mt19937_64& random, Steps* steps) {
  Candidate state = root, other = other_root;
  for (DecisionId d = state.FirstOpen(0); d != runtime::kNoDecision; d = state.FirstOpen(0)) {
    // Any of the next ones, so that late decisions are also taken early.
    for (auto skip = random() % 64; skip > 0; --skip) {
      const DecisionId next = state.FirstOpen(d + 1);
      if (next == runtime::kNoDecision) break;
      d = next;
    }
    if (uniform.IsLong(d)) {
      d = state.FirstOpen(0);
      if (uniform.IsLong(d)) return;
    }
    runtime::Bits values = state.domain(d);
    for (auto skip = random() % static_cast<unsigned>(std::popcount(values)); skip > 0; --skip) {
      values &= values - 1;
    }
    values &= ~values + 1;
    const Candidate before = state, other_before = other;
    const Propagation result = state.Restrict(d, values);
    ++steps->all;
    ASSERT_EQ(result, other.Restrict(d, values));
    if (result == Propagation::kDeadEnd) {
      if (++steps->dead_ends % 20 == 0) return;
      state = before;
      other = other_before;
      const runtime::Bits rest = state.domain(d) & ~values;
      const Propagation without = state.Restrict(d, rest);
      ASSERT_EQ(without, other.Restrict(d, rest));
      if (without == Propagation::kDeadEnd) return;
    }
    ASSERT_EQ(tests::Said(uniform, state.state()), tests::Said(other.instance(), other.state()));
  }
}

TEST(UniformSpaces, ReachTheStatesOfThoseThatAreWrittenDown) {
  Steps steps;
  for (const std::string device : {"cpu", "h200", "k4000"}) {
    for (const std::string name : {"axpy", "matmul", "gesummv", "softmax", "matmul2"}) {
      const Kernel& kernel = *FindKernel(name);
      SCOPED_TRACE(name + " on " + device);
      const ir::Device& of = *LoadDevice(device).device;
      runtime::FreezeOptions written;
      written.uniform = false;
      const Task task = MakeTask(kernel, {}, of), other = MakeTask(kernel, {}, of, false, written);
      ASSERT_FALSE(task.instance->network().uniform.is_empty());
      ASSERT_TRUE(other.instance->network().uniform.is_empty());
      ASSERT_EQ(task.instance->fingerprint(), other.instance->fingerprint());
      const Candidate root(task.instance), other_root(other.instance);
      ASSERT_EQ(tests::Said(*task.instance, root.state()),
                tests::Said(*other.instance, other_root.state()));
      std::mt19937_64 random(11);
      for (int descent = 0; descent < 3 && !HasFatalFailure(); ++descent) {
        Descend(*task.instance, root, other_root, random, &steps);
      }
    }
  }
  std::printf("%d steps, %d dead ends\n", steps.all, steps.dead_ends);
  EXPECT_GT(steps.all, 1000);
  EXPECT_GT(steps.dead_ends, 10);
}

}  // namespace
}  // namespace exh::kernels
