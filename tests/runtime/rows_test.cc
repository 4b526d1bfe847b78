// SPDX-License-Identifier: MIT
//
// Rows are nothing but speed: kernels of every width compute the same, and an instance that
// propagates runs reaches, byte for byte, the states of one that propagates constraint by
// constraint. So does one whose uniform constraints are written down as runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
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
#include "tests/support/said.h"

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
  std::size_t uniform_tables = 0, uniform_clauses = 0;  ///< Spaces that have some.
};

/// Random descents of instances of a space by the same decisions, under every kernel.
/// `with_single`: also of one without rows.
void Compare(const TestSpace& test, const std::string& name, int num_descents, Compared* compared,
             bool with_single = true) {
  const auto with = Instance::Freeze(test.space, test.host);
  const auto written = Instance::Freeze(test.space, test.host, FreezeOptions{.uniform = false});
  std::vector<std::shared_ptr<const Instance>> others = {written};
  if (with_single) {
    others.push_back(Instance::Freeze(test.space, test.host, FreezeOptions{.runs = false}));
    EXPECT_TRUE(others.back()->network().triple_runs.empty());
  }
  compared->uniform_tables += with->network().uniform.tables.empty() ? 0 : 1;
  compared->uniform_clauses += with->network().uniform.clauses.empty() ? 0 : 1;
  EXPECT_TRUE(written->network().uniform.is_empty());
  const auto& network = written->network();
  compared->runs += network.pair_runs.size() + network.triple_runs.size() +
                    network.clause_runs.size() + network.increment_runs.size();
  for (const auto& other : others) {
    ASSERT_EQ(with->root_result(), other->root_result()) << name;
    if (with->root_result() == Propagation::kDeadEnd) continue;
    ASSERT_EQ(Said(*with, with->root()), Said(*other, other->root())) << name;
  }
  if (with->root_result() == Propagation::kDeadEnd) return;
  std::mt19937_64 random(7);
  for (int descent = 0; descent < num_descents; ++descent) {
    const auto kernels = SupportedRowKernels();
    runtime::internal::UseRowKernels(*kernels[static_cast<std::size_t>(descent) % kernels.size()]);
    Candidate fast(with);
    std::vector<Candidate> slow(others.begin(), others.end());
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
      for (Candidate& other : slow) {
        ASSERT_EQ(result, other.Restrict(decision, values)) << name << " descent " << descent;
      }
      ++compared->steps;
      if (result == Propagation::kDeadEnd) {
        ++compared->dead_ends;
        break;
      }
      for (const Candidate& other : slow) {
        ASSERT_EQ(Said(*with, fast.state()), Said(other.instance(), other.state()))
            << name << " descent " << descent;
      }
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

struct SaidInForm {
  std::size_t spaces = 0, holding = 0, violated = 0;
};

/// Assignments near an implementation of the space: what both ground forms say of each.
void CompareForms(const std::shared_ptr<const Instance>& with,
                  const std::shared_ptr<const Instance>& without, const std::string& name,
                  std::mt19937_64& random, SaidInForm* said) {
  if (with->root_result() == Propagation::kDeadEnd) return;
  const runtime::GroundForm form = MakeGroundForm(*with), single = MakeGroundForm(*without);
  // Hidden variables are numbered as they are met: without them both forms have the same ones.
  if (form.variables.size() != with->num_decisions() ||
      single.variables.size() != with->num_decisions()) {
    return;
  }
  ++said->spaces;
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
    ASSERT_EQ(holds, AllHold(single, values)) << name;
    ++(holds ? said->holding : said->violated);
  }
}

TEST(Rows, SayInTheGroundFormWhatSingleConstraintsSay) {
  SaidInForm said;
  std::size_t in_lanes = 0;
  std::mt19937_64 random(3);
  for (std::uint64_t seed = 1; seed <= 300 && !HasFatalFailure(); ++seed) {
    const TestSpace test = LargeRandomSpace(seed, 17 + static_cast<int>(seed % 5));
    const auto with = Instance::Freeze(test.space, test.host);
    const auto without = Instance::Freeze(test.space, test.host, FreezeOptions{.runs = false});
    in_lanes += with->network().lane_tables.size() + with->network().lane_clauses.size();
    CompareForms(with, without, "seed " + std::to_string(seed), random, &said);
  }
  std::printf("%zu spaces, %zu tables and clauses in lanes, %zu assignments hold, %zu do not\n",
              said.spaces, in_lanes, said.holding, said.violated);
  EXPECT_GT(said.spaces, 50u);
  EXPECT_GT(in_lanes, 1000u);
  EXPECT_GT(said.holding, 1000u);
  EXPECT_GT(said.violated, 1000u);
}

TEST(Rows, OrderOfStatements) {
  Compared compared;
  Compare(OrderSpace(5, 20), "order", 6, &compared);
  EXPECT_EQ(compared.uniform_tables, 1u);
  EXPECT_GT(compared.runs, 100u);
}

/// Random requirements over three objects of which nearly all are uniform: over one set and its
/// subsets, some of whose objects appear later. Some of their cells are spoken of by others, too,
/// so that their tables have to be written down.
TestSpace UniformSpace(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random() % n); };
  TestSpace test;
  const int size = seed % 32 == 0 ? 60 + below(12) : 17 + below(8);
  const int root = test.AddRoot("Items", size);
  const auto some = [&](int percent) {
    std::vector<runtime::Object> objects;
    for (int object = 0; object < size; ++object) {
      if (below(100) < percent) objects.push_back(static_cast<runtime::Object>(object));
    }
    return objects;
  };
  const std::vector<int> sets = {root, test.AddSubset("Most", root, some(80)),
                                 test.AddSubset("Some", root, some(40))};
  struct Pairs {
    int choice, set, num_values;
  };
  std::vector<Pairs> pairs = {{test.AddAntisymmetric("p", root, {1, 0, 3, 2, 4}), root, 5},
                              {test.AddSymmetric("q", sets[1], 3), sets[1], 3}};
  if (below(2) == 0) pairs.push_back({test.AddAntisymmetric("r", root, {1, 0, 2}), root, 3});
  const int e = test.AddEnum("e", {Var(root)}, 3), f = test.AddEnum("f", {Var(root)}, 2);
  const auto set_of = [&](const Pairs& pair) {
    if (pair.set == sets[1]) return sets[1];
    return sets[static_cast<std::size_t>(below(3))];
  };
  const auto values = [&](int num_values, int least) {
    Bits bits = 0;
    while (std::popcount(bits) < least || bits == (Bits{1} << num_values) - 1) {
      bits = random() & ((Bits{1} << num_values) - 1);
    }
    return bits;
  };
  const auto pair_test = [&](const Pairs& pair, int a, int b) {
    if (below(2) == 0) std::swap(a, b);
    return Is(pair.choice, {a, b}, values(pair.num_values, pair.num_values - 1));
  };
  for (int count = 1 + below(3); count > 0; --count) {  // Tables.
    const Pairs& pair = pairs[static_cast<std::size_t>(below(pairs.size()))];
    const std::vector<runtime::Variable> three = {Var(set_of(pair)), Var(set_of(pair)),
                                                  Var(set_of(pair))};
    if (below(4) == 0) {
      const auto op = below(2) == 0 ? runtime::CompareOp::kEq : runtime::CompareOp::kNe;
      test.Require(three, {pair_test(pair, 0, 2), Compares(pair.choice, {0, 1}, op, {2, 1})});
    } else {
      test.Require(three, {pair_test(pair, 0, 1), pair_test(pair, 1, 2), pair_test(pair, 0, 2)});
    }
  }
  for (int count = below(3); count > 0; --count) {  // Clauses.
    const Pairs& pair = pairs[static_cast<std::size_t>(below(pairs.size()))];
    const Pairs& other = pairs[static_cast<std::size_t>(below(pairs.size()))];
    const int of_all = pair.set == root && other.set == root ? set_of(pair) : sets[1];
    std::vector<runtime::Condition> conditions = {pair_test(pair, 0, 1), pair_test(other, 1, 2)};
    for (const int v : {0, 1, 2}) {
      if (below(4) != 0) conditions.push_back(Is(e, {v}, values(3, 1)));
    }
    if (below(2) == 0) conditions.push_back(pair_test(pair, 0, 2));
    if (below(2) == 0) conditions.push_back(Is(f, {below(3)}, values(2, 1)));
    test.Require({Var(of_all), Var(of_all), Var(of_all)}, conditions);
  }
  // What makes some objects differ from others.
  for (int count = below(3); count > 0; --count) {
    const Pairs& pair = pairs[static_cast<std::size_t>(below(pairs.size()))];
    const int code = below(5);
    test.Require({Var(set_of(pair)), Var(set_of(pair)), Var(set_of(pair))},
                 {pair_test(pair, 0, 1), pair_test(pair, 1, 2), test.Code([code](auto tuple) {
                    return (tuple[0] + 2 * tuple[1] + 3 * tuple[2]) % 5 != code;
                  })});
  }
  for (int count = below(3); count > 0; --count) {
    const Pairs& pair = pairs[static_cast<std::size_t>(below(pairs.size()))];
    test.Require({Var(set_of(pair)), Var(set_of(pair))},
                 {pair_test(pair, 0, 1), Is(f, {below(2)}, values(2, 1))});
  }
  if (below(2) == 0) {  // Known from the start: what is left of clauses is a table.
    const int code = below(3);
    test.Require({Var(root)}, {Is(e, {0}, values(3, 1)),
                               test.Code([code](auto tuple) { return tuple[0] % 3 != code; })});
    const Pairs& pair = pairs[0];
    test.Require({Var(sets[2]), Var(sets[2])},
                 {pair_test(pair, 0, 1),
                  test.Code([code](auto tuple) { return (tuple[0] + tuple[1]) % 3 != code; })});
  }
  if (below(2) == 0) {  // Objects that appear, in all their sets.
    for (const int first : {size - 1, size - 3}) {
      std::vector<runtime::Host::Planned> planned;
      for (const int object : {first, first - 1}) {
        for (const int set : sets) {
          for (const runtime::Host::Member& member :
               test.host.set_members[static_cast<std::size_t>(set)]) {
            if (member.object == object) planned.push_back({set, member});
          }
        }
      }
      test.AddTrigger({Var(root)},
                      {Is(f, {0}, 1), test.Code([](auto tuple) { return tuple[0] == 1; })},
                      [planned](auto) { return planned; });
    }
  }
  return test;
}

TEST(Rows, OfUniformConstraintsReachTheStatesOfRuns) {
  Compared compared;
  for (std::uint64_t seed = 1; seed <= 400 && !HasFatalFailure(); ++seed) {
    Compare(UniformSpace(seed), "uniform space, seed " + std::to_string(seed), 3, &compared,
            seed % 32 != 0);
  }
  std::printf("%zu spaces with uniform tables, %zu with clauses, %zu steps, %zu dead ends\n",
              compared.uniform_tables, compared.uniform_clauses, compared.steps,
              compared.dead_ends);
  EXPECT_GT(compared.uniform_tables, 300u);
  EXPECT_GT(compared.uniform_clauses, 100u);
  EXPECT_GT(compared.steps, 10000u);
  EXPECT_GT(compared.dead_ends, 20u);
}

TEST(Rows, OfUniformConstraintsAreInTheGroundForm) {
  SaidInForm said;
  std::mt19937_64 random(5);
  for (std::uint64_t seed = 1; seed <= 200 && !HasFatalFailure(); ++seed) {
    if (seed % 32 == 0) continue;  // Large ones.
    const TestSpace test = UniformSpace(seed);
    const auto with = Instance::Freeze(test.space, test.host);
    const auto written = Instance::Freeze(test.space, test.host, FreezeOptions{.uniform = false});
    CompareForms(with, written, "uniform space, seed " + std::to_string(seed), random, &said);
  }
  std::printf("%zu spaces, %zu assignments hold, %zu do not\n", said.spaces, said.holding,
              said.violated);
  EXPECT_GT(said.spaces, 50u);
  EXPECT_GT(said.holding, 1000u);
  EXPECT_GT(said.violated, 1000u);
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
