// SPDX-License-Identifier: MIT
//
// Prints how fast random descents of an order-only instance are. Nothing is asserted.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "runtime/candidate.h"
#include "tests/support/order_space.h"

namespace exh::tests {
namespace {

using runtime::Bits;
using runtime::Candidate;
using runtime::DecisionId;
using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

void Measure(int num_instructions, int num_dims) {
  const TestSpace test = OrderSpace(num_instructions, num_dims);
  const auto freeze_start = Clock::now();
  const auto instance = runtime::Instance::Freeze(test.space, test.host);
  const double freeze_seconds = Seconds(freeze_start);

  std::mt19937_64 random(1);
  const Candidate root(instance);
  Candidate candidate = root;
  std::size_t descents = 0, dead_ends = 0, steps = 0;
  std::vector<DecisionId> decisions(instance->num_decisions());
  for (DecisionId d = 0; d < decisions.size(); ++d) decisions[d] = d;
  const auto start = Clock::now();
  for (; descents < 200 || Seconds(start) < 2; ++descents) {
    candidate = root;
    std::shuffle(decisions.begin(), decisions.end(), random);
    for (const DecisionId decision : decisions) {
      if (!candidate.IsOpen(decision)) continue;
      const Bits values = candidate.domain(decision);
      Bits rest = values;
      for (auto skip = random() % std::popcount(values); skip > 0; --skip) rest &= rest - 1;
      ++steps;
      if (candidate.Restrict(decision, rest & (~rest + 1)) == runtime::Propagation::kDeadEnd) {
        ++dead_ends;
        break;
      }
    }
  }
  const double seconds = Seconds(start);
  std::printf("n=%d: freeze %.3f s, %.0f descents/s, %.1f steps each, dead ends %.2f %%\n",
              num_instructions + num_dims, freeze_seconds, descents / seconds,
              static_cast<double>(steps) / static_cast<double>(descents),
              100.0 * static_cast<double>(dead_ends) / static_cast<double>(descents));
  std::printf("%s\n", StatisticsText(instance->statistics()).c_str());
}

}  // namespace
}  // namespace exh::tests

int main() {
  exh::tests::Measure(5, 30);
  exh::tests::Measure(9, 50);
}
