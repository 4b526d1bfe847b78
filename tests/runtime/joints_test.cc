// SPDX-License-Identifier: MIT
//
// Joints: decisions that a counter of one value ties together keep exactly the values that some
// combination has which all requirements over them allow; behind a gate as soon as it opens.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "runtime/candidate.h"
#include "runtime/ground.h"
#include "runtime/internal/network/network.h"
#include "tests/support/table_host.h"

namespace exh::tests {
namespace {

using runtime::Bits;
using runtime::Candidate;
using runtime::CompareOp;
using runtime::DecisionId;
using runtime::Instance;
using runtime::Propagation;
using runtime::Visibility;

constexpr Bits kOn = 1;

/// Items whose numbers multiply, or add, to `total`, with requirements over pairs of them.
struct Tied {
  TestSpace test;
  int num_items = 0;
  bool product = false;
  std::uint32_t total = 0;
  std::vector<std::uint32_t> numbers;
  bool is_sorted = false;      ///< No item has less than the one before it.
  Bits first = 0, second = 0;  ///< Where an item has the one, no later item has the other.

  bool Allows(const std::vector<int>& values) const {
    std::uint64_t reached = product;
    for (const int value : values) {
      reached = product ? reached * numbers[value] : reached + numbers[value];
    }
    if (reached != total) return false;
    for (std::size_t a = 0; a < values.size(); ++a) {
      for (std::size_t b = a + 1; b < values.size(); ++b) {
        if (is_sorted && values[a] > values[b]) return false;
        if ((first >> values[a] & 1) != 0 && (second >> values[b] & 1) != 0) return false;
      }
    }
    return true;
  }

  /// The values of each item that some combination within `domains` has; empty: there is none.
  std::vector<Bits> Filter(const std::vector<Bits>& domains) const {
    std::vector<Bits> kept(domains.size(), 0);
    std::vector<int> values;
    bool any = false;
    const auto extend = [&](const auto& self) -> void {
      if (values.size() == domains.size()) {
        if (!Allows(values)) return;
        any = true;
        for (std::size_t i = 0; i < values.size(); ++i) kept[i] |= Bits{1} << values[i];
        return;
      }
      for (Bits rest = domains[values.size()]; rest != 0; rest &= rest - 1) {
        values.push_back(std::countr_zero(rest));
        self(self);
        values.pop_back();
      }
    };
    extend(extend);
    return any ? kept : std::vector<Bits>();
  }
};

/// With `is_planned` a decision of another object, the last one, brings all of them to life.
Tied RandomTied(std::uint64_t seed, bool is_planned) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  Tied tied;
  TestSpace& test = tied.test;
  tied.num_items = 2 + static_cast<int>(below(3));
  tied.product = below(3) != 0;
  const std::uint32_t most = below(2) == 0 ? 6 : 24;
  for (std::uint32_t n = below(4) == 0 ? 0 : 1; n <= most; ++n) {
    if (below(4) != 0) tied.numbers.push_back(n);
  }
  if (tied.numbers.empty()) tied.numbers = {1, 2};
  // Of some combination, so that there is one without further requirements.
  tied.total = tied.product;
  for (int i = 0; i < tied.num_items; ++i) {
    const std::uint32_t number = tied.numbers[below(tied.numbers.size())];
    tied.total = tied.product ? tied.total * number : tied.total + number;
  }
  tied.is_sorted = below(2) == 0;
  const Bits all = (Bits{1} << tied.numbers.size()) - 1;
  if (below(2) == 0) {
    tied.first = random() & all;
    tied.second = random() & all;
  }
  const int items = test.AddRoot("Items", tied.num_items), axes = test.AddRoot("Axes", 1);
  const int size = test.AddInteger("size", {Var(items)},
                                   [numbers = tied.numbers](TableHost::Tuple) { return numbers; });
  runtime::Choice& counter = test.AddCounter("total", {Var(axes)}, tied.product, Visibility::kFull);
  counter.over = {Var(items)};
  counter.weight = {size, {1}};
  const int number = test.choice("total");
  const auto later = test.Code([](TableHost::Tuple tuple) { return tuple[0] >= tuple[1]; });
  if (tied.is_sorted) {
    test.Require({Var(items), Var(items)}, {later, Compares(size, {0}, CompareOp::kLe, {1})});
  }
  test.Require({Var(items), Var(items)},
               {later, Is(size, {0}, all & ~tied.first), Is(size, {1}, all & ~tied.second)});
  test.Require({Var(axes)}, {test.ComparesCode(number, {0}, CompareOp::kEq, {tied.total})});
  if (is_planned) {
    const int switches = test.AddRoot("Switches", 1);
    const int on = test.AddEnum("on", {Var(switches)}, 2);
    test.AddTrigger({Var(switches)}, {Is(on, {0}, kOn)},
                    [items, axes, size = tied.num_items](TableHost::Tuple) {
                      std::vector<runtime::Host::Planned> added = {{axes, {runtime::kNoObject, 0}}};
                      for (int i = 0; i < size; ++i) {
                        added.push_back({items, {runtime::kNoObject, static_cast<Object>(i)}});
                      }
                      return added;
                    });
  }
  return tied;
}

struct Seen {
  std::size_t joints = 0, steps = 0;
};

/// Random restrictions of the items, which are `kept` at the beginning.
void Drive(const Tied& tied, std::uint64_t seed, std::vector<Bits> kept, Candidate candidate,
           Seen* seen) {
  std::mt19937_64 random(seed);
  const auto domains_now = [&] {
    std::vector<Bits> now;
    for (DecisionId d = 0; d < kept.size(); ++d) now.push_back(candidate.domain(d));
    return now;
  };
  for (;;) {
    ASSERT_EQ(domains_now(), kept);
    const auto item = static_cast<DecisionId>(random() % kept.size());
    const Bits values = random() & kept[item];
    if (values == 0 || values == kept[item]) {
      if (candidate.IsImplementation()) break;
      continue;
    }
    ++seen->steps;
    kept[item] = values;
    kept = tied.Filter(kept);
    // Each value has a combination, so that there is no dead end.
    ASSERT_EQ(candidate.Restrict(item, values), Propagation::kFixpoint);
  }
}

void CheckTied(bool is_planned) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 600 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Tied tied = RandomTied(seed, is_planned);
    const auto instance = Instance::Freeze(tied.test.space, tied.test.host);
    const std::vector<Bits> domains(static_cast<std::size_t>(tied.num_items),
                                    (Bits{1} << tied.numbers.size()) - 1);
    const std::vector<Bits> kept = tied.Filter(domains);
    if (!is_planned) {
      ASSERT_EQ(instance->root_result() == Propagation::kDeadEnd, kept.empty());
      if (kept.empty()) continue;
    }
    if (instance->statistics().joints == 0 && !kept.empty()) continue;  // Too many combinations.
    Candidate candidate(instance);
    if (is_planned) {
      const auto on = static_cast<DecisionId>(tied.num_items);
      const bool lives = (candidate.domain(on) & kOn) != 0 &&
                         candidate.Restrict(on, kOn) == Propagation::kFixpoint;
      ASSERT_EQ(lives, !kept.empty());
      if (!lives) continue;
    }
    ++seen.joints;
    Drive(tied, seed, kept, candidate, &seen);
  }
  std::printf("%zu joints, %zu steps\n", seen.joints, seen.steps);
  EXPECT_GT(seen.joints, 300u);
  EXPECT_GT(seen.steps, 300u);
}

TEST(Joints, KeepExactlyWhatSomeCombinationHas) {
  CheckTied(false);
}

TEST(Joints, HoldOnceTheirObjectsAreThere) {
  CheckTied(true);
}

/// A joint names the requirements that took combinations away, and no others over the same
/// decisions.
TEST(Joints, NameWhoTookCombinationsAway) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int size = test.AddInteger("size", {Var(items)}, [](TableHost::Tuple) {
    return std::vector<std::uint32_t>{1, 2, 4, 8};
  });
  runtime::Choice& counter = test.AddCounter("total", {}, true, Visibility::kFull);
  counter.over = {Var(items)};
  counter.weight = {size, {0}};
  const int number = test.choice("total");
  const auto later = test.Code([](TableHost::Tuple tuple) { return tuple[0] >= tuple[1]; });
  test.Require({Var(items), Var(items)}, {later, Compares(size, {0}, CompareOp::kLe, {1})},
               "sorted");
  // 8 * 8 is too much anyway.
  test.Require({Var(items), Var(items)}, {Is(size, {0}, 7), Is(size, {1}, 7)}, "not_both_8");
  test.Require({}, {test.ComparesCode(number, {}, CompareOp::kEq, {8})});
  const auto instance = Instance::Freeze(test.space, test.host);
  const runtime::GroundForm form = MakeGroundForm(*instance);
  ASSERT_EQ(form.joints.size(), 1u);
  // 1 * 1 * 8, 1 * 2 * 4 and 2 * 2 * 2.
  EXPECT_EQ(form.joints[0].combinations.size(), 3u);
  std::vector<std::string> names;
  for (const runtime::Origin& origin : form.joints[0].origins) {
    names.push_back(OriginText(instance->space(), origin));
  }
  ASSERT_EQ(names.size(), 2u) << names.back();
  EXPECT_NE(names[0].find("total"), std::string::npos) << names[0];
  EXPECT_NE(names[1].find("sorted"), std::string::npos) << names[1];
}

}  // namespace
}  // namespace exh::tests
