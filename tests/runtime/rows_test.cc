// SPDX-License-Identifier: MIT
//
// Rows are nothing but speed: kernels of every width compute the same, and an instance that
// propagates runs reaches, byte for byte, the states of one that propagates constraint by
// constraint.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "runtime/candidate.h"
#include "runtime/ground.h"
#include "runtime/internal/network/network.h"
#include "runtime/internal/rows/row_kernels.h"
#include "runtime/packed_node.h"
#include "tests/support/order_space.h"
#include "tests/support/random_space.h"

namespace exh::tests {
namespace {

using runtime::Bits;
using runtime::Candidate;
using runtime::DecisionId;
using runtime::FreezeOptions;
using runtime::Instance;
using runtime::kLanes;
using runtime::Propagation;
using runtime::internal::PortableRowKernels;
using runtime::internal::RowKernels;
using runtime::internal::SupportedRowKernels;

using Row = std::array<std::uint8_t, kLanes>;

TEST(RowKernels, EveryWidthComputesTheSame) {
  const RowKernels& portable = *PortableRowKernels();
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const int bits = 1 + static_cast<int>(random() % 8);
    const auto domain = [&] { return static_cast<std::uint8_t>(random() & ((1u << bits) - 1)); };
    Row a, b;
    for (std::uint8_t& cell : a) cell = domain();
    for (std::uint8_t& cell : b) cell = random() % 4 == 0 ? a[&cell - b.data()] : domain();
    const std::uint8_t values = domain();
    const std::uint64_t lanes = random();
    const int width = std::max(16, 1 << bits);
    std::vector<std::uint8_t> lut_b(width), lut_c(width);
    for (std::uint8_t& entry : lut_b) entry = domain();
    for (std::uint8_t& entry : lut_c) entry = domain();
    for (const RowKernels* kernels : SupportedRowKernels()) {
      SCOPED_TRACE(std::string(kernels->name) + " round " + std::to_string(round));
      EXPECT_EQ(kernels->count(lanes), portable.count(lanes));
      EXPECT_EQ(kernels->excluded(a.data(), values), portable.excluded(a.data(), values));
      EXPECT_EQ(kernels->certain(a.data(), values), portable.certain(a.data(), values));
      EXPECT_EQ(kernels->open(a.data()), portable.open(a.data()));
      EXPECT_EQ(kernels->differ(a.data(), b.data()), portable.differ(a.data(), b.data()));
      Row out, expected;
      EXPECT_EQ(kernels->keep(a.data(), values, out.data()),
                portable.keep(a.data(), values, expected.data()));
      EXPECT_EQ(out, expected);
      EXPECT_EQ(kernels->intersect(a.data(), b.data(), out.data()),
                portable.intersect(a.data(), b.data(), expected.data()));
      EXPECT_EQ(out, expected);
      Row out_b{}, out_c{}, expected_b{}, expected_c{};
      std::uint64_t changed_b, changed_c, expected_changed_b, expected_changed_c;
      kernels->compose(a.data(), b.data(), lut_b.data(), lut_c.data(), width, width, lanes,
                       out_b.data(), out_c.data(), &changed_b, &changed_c);
      portable.compose(a.data(), b.data(), lut_b.data(), lut_c.data(), width, width, lanes,
                       expected_b.data(), expected_c.data(), &expected_changed_b,
                       &expected_changed_c);
      EXPECT_EQ(changed_b, expected_changed_b);
      EXPECT_EQ(changed_c, expected_changed_c);
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if ((changed_b >> lane & 1) != 0) {
          EXPECT_EQ(out_b[lane], expected_b[lane]);
        }
        if ((changed_c >> lane & 1) != 0) {
          EXPECT_EQ(out_c[lane], expected_c[lane]);
        }
      }
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

struct Compared {
  std::size_t steps = 0, dead_ends = 0, runs = 0;
};

/// All that a state says but for the gates: runs rest behind some that single constraints do not
/// have. The bytes of cells, the wide domains, the counters, and what lives and is present.
std::vector<std::uint64_t> Said(const Instance& instance, const runtime::State& state) {
  const runtime::StateLayout& layout = instance.layout();
  std::vector<std::uint64_t> said(state.bytes(), state.bytes() + layout.num_narrow);
  for (runtime::Slot slot = layout.num_narrow; slot < layout.num_slots(); ++slot) {
    said.push_back(state.domain(layout, slot));
  }
  for (std::uint32_t id = 0; id < layout.num_counters; ++id) {
    said.push_back(state.counter(layout, id).min);
    said.push_back(state.counter(layout, id).max);
  }
  for (std::uint32_t block = 0; block < layout.num_narrow / kLanes; ++block) {
    said.push_back(state.live(layout, block));
  }
  for (std::uint32_t word = 0; word < layout.num_presences; ++word) {
    said.push_back(state.presence(layout, word));
  }
  return said;
}

/// Random descents of both instances by the same decisions, under every kernel.
void Compare(const TestSpace& test, const std::string& name, int num_descents, Compared* compared) {
  const auto with = Instance::Freeze(test.space, test.host);
  const auto without = Instance::Freeze(test.space, test.host, FreezeOptions{.runs = false});
  const auto& network = with->network();
  compared->runs += network.pair_runs.size() + network.triple_runs.size() +
                    network.clause_runs.size() + network.increment_runs.size();
  EXPECT_TRUE(without->network().triple_runs.empty());
  ASSERT_EQ(with->root_result(), without->root_result()) << name;
  if (with->root_result() == Propagation::kDeadEnd) return;
  ASSERT_EQ(Said(*with, with->root()), Said(*without, without->root())) << name;
  std::mt19937_64 random(7);
  for (int descent = 0; descent < num_descents; ++descent) {
    const auto kernels = SupportedRowKernels();
    runtime::internal::UseRowKernels(*kernels[static_cast<std::size_t>(descent) % kernels.size()]);
    Candidate fast(with), slow(without);
    std::vector<DecisionId> open;
    for (;;) {
      open.clear();
      for (DecisionId d = 0; d < with->num_decisions(); ++d) {
        if (fast.IsOpen(d)) open.push_back(d);
      }
      if (open.empty()) break;
      const DecisionId decision = open[random() % open.size()];
      Bits values = fast.domain(decision);
      for (auto skip = random() % static_cast<unsigned>(std::popcount(values)); skip > 0; --skip) {
        values &= values - 1;
      }
      values &= ~values + 1;
      const Propagation result = fast.Restrict(decision, values);
      ASSERT_EQ(result, slow.Restrict(decision, values)) << name << " descent " << descent;
      ++compared->steps;
      if (result == Propagation::kDeadEnd) {
        ++compared->dead_ends;
        break;
      }
      ASSERT_EQ(Said(*with, fast.state()), Said(*without, slow.state()))
          << name << " descent " << descent;
      if (compared->steps % 8 != 0) continue;
      const runtime::PackedNode packed(fast);
      ASSERT_EQ(packed.Unpack(with).state(), fast.state()) << name << " descent " << descent;
    }
  }
  runtime::internal::UseRowKernels(*SupportedRowKernels().back());
}

TEST(Rows, ReachTheStatesOfSingleConstraints) {
  Compared compared;
  for (std::uint64_t seed = 1; seed <= 1000 && !HasFatalFailure(); ++seed) {
    Compare(LargeRandomSpace(seed, 17 + static_cast<int>(seed % 5)),
            "random space, seed " + std::to_string(seed), 4, &compared);
  }
  std::printf("%zu runs, %zu steps, %zu dead ends\n", compared.runs, compared.steps,
              compared.dead_ends);
  EXPECT_GT(compared.runs, 1000u);
  EXPECT_GT(compared.steps, 1000u);
  EXPECT_GT(compared.dead_ends, 20u);
}

/// Do all tables and clauses over decisions alone hold?
bool AllHold(const runtime::GroundForm& form, const std::vector<int>& values) {
  for (const runtime::GroundTable& table : form.tables) {
    std::vector<int> of_table;
    for (const std::uint32_t variable : table.variables) of_table.push_back(values[variable]);
    for (const runtime::GroundClause& clause : form.relations[table.relation].clauses) {
      if (!Holds(form, clause, of_table)) return false;
    }
  }
  for (const runtime::GroundClause& clause : form.clauses) {
    const bool reads_counters = std::ranges::any_of(clause.literals, [](const auto& literal) {
      return literal.kind != runtime::GroundLiteral::Kind::kIn &&
             literal.kind != runtime::GroundLiteral::Kind::kPair;
    });
    if (!reads_counters && !Holds(form, clause, values)) return false;
  }
  return true;
}

TEST(Rows, SayInTheGroundFormWhatSingleConstraintsSay) {
  std::size_t spaces = 0, in_lanes = 0, holding = 0, violated = 0;
  std::mt19937_64 random(3);
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const TestSpace test = LargeRandomSpace(seed, 17 + static_cast<int>(seed % 5));
    const auto with = Instance::Freeze(test.space, test.host);
    const auto without = Instance::Freeze(test.space, test.host, FreezeOptions{.runs = false});
    if (with->root_result() == Propagation::kDeadEnd) continue;
    const runtime::GroundForm form = MakeGroundForm(*with), single = MakeGroundForm(*without);
    // Hidden variables are numbered as they are met: without them both forms have the same ones.
    if (form.variables.size() != with->num_decisions() ||
        single.variables.size() != with->num_decisions()) {
      continue;
    }
    ++spaces;
    in_lanes += with->network().lane_tables.size() + with->network().lane_clauses.size();
    // Any values that the root leaves, most of them those of an implementation.
    Candidate state(with);
    for (DecisionId d = state.FirstOpen(0); d != runtime::kNoDecision; d = state.FirstOpen(0)) {
      const Bits values = state.domain(d);
      if (state.Restrict(d, values & (~values + 1)) == Propagation::kDeadEnd) break;
    }
    std::vector<int> start;
    for (DecisionId d = 0; d < with->num_decisions(); ++d) {
      start.push_back(std::countr_zero(state.domain(d)));
    }
    for (int change = 0; change < 300; ++change) {
      std::vector<int> values = start;
      for (auto times = random() % 3; times > 0; --times) {
        const std::size_t d = random() % values.size();
        Bits root = form.variables[d].root;
        for (auto skip = random() % static_cast<unsigned>(std::popcount(root)); skip > 0; --skip) {
          root &= root - 1;
        }
        values[d] = std::countr_zero(root);
      }
      const bool holds = AllHold(form, values);
      ASSERT_EQ(holds, AllHold(single, values)) << "seed " << seed;
      ++(holds ? holding : violated);
    }
  }
  std::printf("%zu spaces, %zu tables and clauses in lanes, %zu assignments hold, %zu do not\n",
              spaces, in_lanes, holding, violated);
  EXPECT_GT(spaces, 50u);
  EXPECT_GT(in_lanes, 1000u);
  EXPECT_GT(holding, 1000u);
  EXPECT_GT(violated, 1000u);
}

TEST(Rows, OrderOfStatements) {
  Compared compared;
  Compare(OrderSpace(5, 20), "order", 6, &compared);
  EXPECT_GT(compared.runs, 100u);
}

/// Whatever e is, one of two requirements excludes a value of all c: the root has to know. The full
/// domain of e is the same byte as "nothing was seen".
TEST(Rows, EightValues) {
  for (const int num_values : {7, 8}) {
    TestSpace test;
    const int set = test.AddRoot("S", 16);
    const int e = test.AddEnum("e", {}, num_values);
    const int c = test.AddEnum("c", {Var(set)}, 3);
    const Bits low = 0b1111, high = (Bits{1} << num_values) - 1 - low;
    test.Require({Var(set)}, {Is(e, {}, low), Is(c, {0}, 0b011)});
    test.Require({Var(set)}, {Is(e, {}, high), Is(c, {0}, 0b011)});
    Compared compared;
    Compare(test, std::to_string(num_values) + " values", 4, &compared);
    const auto instance = Instance::Freeze(test.space, test.host);
    const auto found = instance->FindDecision(c, std::vector<Object>{3});
    EXPECT_EQ(instance->root().domain(instance->layout(), instance->slot(found->id)), 0b011u);
  }
}

TEST(Rows, MoreThanSixtyFourObjects) {
  Compared compared;
  Compare(OrderSpace(10, 62), "order of 72", 2, &compared);
  EXPECT_GT(compared.runs, 1000u);
}

}  // namespace
}  // namespace exh::tests
