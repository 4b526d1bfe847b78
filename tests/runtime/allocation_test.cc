// SPDX-License-Identifier: MIT
//
// Nothing between the freeze of an instance and the end of a descent allocates: this program
// counts.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "runtime/candidate.h"
#include "tests/support/order_space.h"
#include "tests/support/random_space.h"

namespace {

std::atomic<std::size_t> allocations{0};

// Not to be looked through: a compiler that does finds that what was not made by new is deleted.
[[gnu::noinline]] void* Allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* const memory =
      std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

[[gnu::noinline]] void Free(void* memory) {
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return Allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  Free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  Free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  Free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  Free(memory);
}

namespace exh::tests {
namespace {

using runtime::Bits;
using runtime::Candidate;
using runtime::Instance;
using runtime::Propagation;

/// A descent by the first open decision of each choice; the states are those that it was given.
bool Descend(const Candidate& root, Candidate* state, Candidate* child, std::mt19937_64& random) {
  *state = root;
  const Instance& instance = root.instance();
  for (int choice = 0; choice < static_cast<int>(instance.space().choices.size()); ++choice) {
    if (instance.space().choices[choice].kind == runtime::ChoiceKind::kCounter) continue;
    for (;;) {
      const runtime::DecisionId decision = state->FirstOpen(choice);
      if (decision == runtime::kNoDecision) break;
      Bits values = state->domain(decision);
      for (auto skip = random() % static_cast<unsigned>(std::popcount(values)); skip > 0; --skip) {
        values &= values - 1;
      }
      *child = *state;
      if (child->Restrict(decision, values & (~values + 1)) == Propagation::kDeadEnd) return false;
      *state = *child;
    }
  }
  return true;
}

std::size_t AllocationsOf(const TestSpace& test, int* leaves) {
  const auto instance = Instance::Freeze(test.space, test.host);
  if (instance->root_result() == Propagation::kDeadEnd) return 0;
  const Candidate root(instance);
  Candidate state = root, child = root;
  std::size_t before = 0;
  // The first time openings of gates are worked out, and kept.
  for (const bool is_first : {true, false}) {
    std::mt19937_64 random(1);
    before = allocations;
    for (int descent = 0; descent < 5; ++descent) {
      const bool is_leaf = Descend(root, &state, &child, random);
      *leaves += is_leaf && !is_first ? 1 : 0;
    }
  }
  return allocations - before;
}

TEST(Allocations, TheCounterCounts) {
  const std::size_t before = allocations;
  const std::vector<int> some(1000);
  EXPECT_EQ(allocations - before, 1u);
}

TEST(Allocations, NoneInDescentsOfOrder) {
  int leaves = 0;
  EXPECT_EQ(AllocationsOf(OrderSpace(4, 20), &leaves), 0u);
  EXPECT_GT(leaves, 0);
}

TEST(Allocations, NoneInDescentsOfRandomSpaces) {
  int leaves = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_EQ(AllocationsOf(LargeRandomSpace(seed, 17), &leaves), 0u) << "seed " << seed;
  }
  EXPECT_GT(leaves, 100);
}

// Threads share the instance and nothing else.
TEST(Descents, RunInParallelOnASharedInstance) {
  const TestSpace test = OrderSpace(4, 20);
  const auto instance = Instance::Freeze(test.space, test.host);
  const Candidate root(instance);
  const auto run = [&](runtime::State* last) {
    Candidate state = root, child = root;
    std::mt19937_64 random(3);
    for (int descent = 0; descent < 20; ++descent) Descend(root, &state, &child, random);
    *last = state.state();
  };
  std::vector<runtime::State> last(4);
  std::vector<std::thread> threads;
  for (runtime::State& state : last) threads.emplace_back(run, &state);
  for (std::thread& thread : threads) thread.join();
  for (const runtime::State& state : last) EXPECT_EQ(state, last.front());
}

}  // namespace
}  // namespace exh::tests
