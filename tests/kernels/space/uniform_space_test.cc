// SPDX-License-Identifier: MIT
//
// What holds of all objects alike, written down for each of them or not: random descents in the
// spaces of kernels reach the same states, but for decisions of objects that are absent. Of those
// the root knows more where each clause is looked at by itself; it follows when they appear.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/devices/device.h"
#include "kernels/library/registry.h"
#include "kernels/task.h"
#include "runtime/candidate.h"
#include "runtime/internal/network/network.h"

namespace exh::kernels {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;

struct Steps {
  int all = 0, dead_ends = 0;
};

std::vector<std::uint64_t> SaidOfLive(const Candidate& candidate) {
  const runtime::Instance& instance = candidate.instance();
  std::vector<std::uint64_t> said;
  for (DecisionId d = 0; d < instance.num_decisions(); ++d) {
    said.push_back(candidate.IsLive(d));
    if (!candidate.IsLive(d)) continue;
    for (int word = 0; word < instance.num_words(d); ++word) {
      said.push_back(candidate.word(d, word));
    }
  }
  for (std::uint32_t id = 0; id < instance.layout().num_counters; ++id) {
    said.push_back(candidate.state().counter(instance.layout(), id).min);
    said.push_back(candidate.state().counter(instance.layout(), id).max);
  }
  return said;
}

/// Two descents by the same decisions, which back out of dead ends.
void Descend(const runtime::Instance& uniform, const Candidate& root, const Candidate& other_root,
             std::mt19937_64& random, Steps* steps) {
  Candidate state = root, other = other_root;
  const auto num_decisions = static_cast<std::uint64_t>(uniform.num_decisions());
  while (state.FirstOpen(0) != runtime::kNoDecision) {
    // Any next one, but long ones, so that late decisions are also taken early.
    DecisionId d = state.FirstOpen(0);
    for (int tries = 0; tries < 20; ++tries) {
      const auto drawn = static_cast<DecisionId>(random() % num_decisions);
      if (state.IsOpen(drawn)) d = drawn;
    }
    if (uniform.IsLong(d)) return;
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
    ASSERT_EQ(SaidOfLive(state), SaidOfLive(other));
  }
}

TEST(UniformSpaces, ReachTheStatesOfThoseThatAreWrittenDown) {
  Steps steps;
  for (const std::string device : {"cpu", "h200", "k4000"}) {
    for (const std::string name : {"axpy", "matmul", "gesummv", "softmax", "matmul2"}) {
      const Kernel& kernel = *FindKernel(name);
      SCOPED_TRACE(name + " on " + device);
      const ir::Device of = *LoadDevice(device).device;
      runtime::FreezeOptions written;
      written.uniform = false;
      const Task task = MakeTask(kernel, {}, of), other = MakeTask(kernel, {}, of, false, written);
      ASSERT_FALSE(task.instance->network().uniform.is_empty());
      ASSERT_TRUE(other.instance->network().uniform.is_empty());
      ASSERT_EQ(task.instance->fingerprint(), other.instance->fingerprint());
      const Candidate root(task.instance), other_root(other.instance);
      ASSERT_EQ(SaidOfLive(root), SaidOfLive(other_root));
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
