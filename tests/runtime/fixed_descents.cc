// SPDX-License-Identifier: MIT
//
// The same few descents every time, or with a number the freeze of a space of so many objects, for
// instructions_test.py to count the instructions of.
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/candidate.h"
#include "runtime/internal/rows/row_kernels.h"
#include "tests/support/order_space.h"

namespace exh::tests {

/// Counted: its name is the toggle. Ends at the hash of the last state.
__attribute__((noinline)) std::uint64_t CountedDescents(const runtime::Candidate& root,
                                                        runtime::Candidate* state, int descents) {
  std::uint64_t chance = 88172645463325252u;
  for (int descent = 0; descent < descents; ++descent) {
    *state = root;
    for (;;) {
      const runtime::DecisionId decision = state->FirstOpen(0);
      if (decision == runtime::kNoDecision) break;
      chance ^= chance << 13;
      chance ^= chance >> 7;
      chance ^= chance << 17;
      runtime::Bits values = state->domain(decision);
      for (auto skip = chance % static_cast<unsigned>(std::popcount(values)); skip > 0; --skip) {
        values &= values - 1;
      }
      if (state->Restrict(decision, values & (~values + 1)) == runtime::Propagation::kDeadEnd)
        break;
    }
  }
  return state->state().Hash();
}

/// Counted as well. Ends at the size of a state.
__attribute__((noinline)) std::size_t CountedFreeze(const TestSpace& test) {
  return runtime::Instance::Freeze(test.space, test.host)->statistics().state_bytes;
}

}  // namespace exh::tests

int main(int argc, char** argv) {
  using namespace exh;
  // Valgrind runs no AVX-512.
  for (const runtime::internal::RowKernels* kernels : runtime::internal::SupportedRowKernels()) {
    if (kernels->name != "avx512") runtime::internal::UseRowKernels(*kernels);
  }
  const std::string kernels(runtime::internal::ActiveRowKernels().name);
  if (argc > 1) {
    const std::size_t bytes = tests::CountedFreeze(tests::OrderSpace(4, std::atoi(argv[1]) - 4));
    std::printf("%s %zu\n", kernels.c_str(), bytes);
    return 0;
  }
  const tests::TestSpace test = tests::OrderSpace(9, 50);
  const runtime::Candidate root(runtime::Instance::Freeze(test.space, test.host));
  runtime::Candidate state = root;
  const std::uint64_t hash = tests::CountedDescents(root, &state, 5);
  std::printf("%s %016llx\n", kernels.c_str(), static_cast<unsigned long long>(hash));
}
