// SPDX-License-Identifier: MIT
//
// One hand-written space per feature, driven against the brute-force oracle.
#include <gtest/gtest.h>

#include "tests/support/drive.h"
#include "tests/support/order_space.h"

namespace exh::tests {
namespace {

using runtime::Choice;
using runtime::CompareOp;
using runtime::Host;
using runtime::kNoObject;
using runtime::Visibility;
using Planned = std::vector<Host::Planned>;

constexpr runtime::Bits A = 1, B = 2, C = 4, AB = 3, AC = 5, BC = 6;

/// Drives the space; the number of implementations was counted by hand or by a third program, so
/// that the oracle itself is tested too.
void Expect(const TestSpace& test, std::size_t num_solutions) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const DriveResult result = DriveAgainstOracle(
        test, testing::UnitTest::GetInstance()->current_test_info()->name(), seed);
    EXPECT_EQ(result.solutions, num_solutions);
  }
}

TEST(Feature, PlainSet) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int kind = test.AddEnum("kind", {Var(items)}, 3);
  test.Require({Var(items), Var(items)}, {Is(kind, {0}, BC), Is(kind, {1}, AB)});
  Expect(test, 15);  // Of 27 assignments the 12 with both an A and a C fall.
}

TEST(Feature, Subset) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int sub = test.AddSubset("Sub", items, {0, 2});
  const int kind = test.AddEnum("kind", {Var(items)}, 3);
  const int mark = test.AddEnum("mark", {Var(sub)}, 2);
  test.Require({Var(sub)}, {Is(kind, {0}, AB)});
  test.Require({Var(sub), Var(items)}, {Is(mark, {0}, A), Is(kind, {1}, BC)});
  Expect(test, 22);
}

TEST(Feature, ParametricSet) {
  TestSpace test;
  const int owners = test.AddRoot("Owners", 2);
  const int items = test.AddRoot("Items", 3);
  const int parts = test.AddParametric("Parts", owners, items, {{0, 0}, {0, 1}, {1, 1}, {1, 2}});
  const int state = test.AddEnum("state", {Var(owners)}, 2);
  const int use = test.AddEnum("use", {Var(owners), Var(parts, 0)}, 2);
  test.Require({Var(owners), Var(parts, 0)}, {Is(state, {0}, A), Is(use, {0, 1}, B)});
  test.Require({Var(owners), Var(parts, 0), Var(parts, 0)},
               {Is(use, {0, 1}, A), Is(use, {0, 2}, A)});
  Expect(test, 9);
}

/// The parameter is only quantified: from the item back to the owners that list it.
TEST(Feature, ReverseUseOfAParametricSet) {
  TestSpace test;
  const int owners = test.AddRoot("Owners", 3);
  const int items = test.AddRoot("Items", 3);
  const int parts = test.AddParametric("Parts", owners, items, {{0, 0}, {0, 1}, {2, 1}});
  const int kind = test.AddEnum("kind", {Var(items)}, 3);
  const int state = test.AddEnum("state", {Var(owners)}, 2);
  test.Require({Var(owners), Var(parts, 0)}, {Is(state, {0}, A), Is(kind, {1}, A)});
  test.Require({Var(owners), Var(parts, 0), Var(parts, 0)}, {Is(kind, {1}, AB), Is(kind, {2}, C)});
  Expect(test, 54);
}

TEST(Feature, ParametricRootSet) {
  TestSpace test;
  const int insts = test.AddRoot("Insts", 2);
  const int ops = test.AddParametric("Ops", insts, -1, {{0, 0}, {0, 1}, {1, 2}}, 3);
  const int use = test.AddEnum("use", {Var(insts), Var(ops, 0)}, 2);
  test.Require({Var(insts), Var(ops, 0), Var(insts), Var(ops, 2)},
               {Is(use, {0, 1}, A), Is(use, {2, 3}, A)});
  Expect(test, 5);
}

TEST(Feature, DisjointSetsAreNotComparedByIdentity) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int left = test.AddSubset("Left", items, {0, 1});
  const int right = test.AddSubset("Right", items, {1, 2});
  test.space.sets[right].disjoint = {left};
  const int kind = test.AddEnum("kind", {Var(items)}, 2);
  // The promise is false for object 1, so the pair (1, 1) is a tuple too: 1 must be A.
  test.Require({Var(left), Var(right)}, {Is(kind, {0}, A), Is(kind, {1}, A)});
  Expect(test, 3);
}

TEST(Feature, AliasMasksAndHostCode) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int kind = test.AddEnum("kind", {Var(items)}, 3);
  test.Require({Var(items), Var(items)},
               {Is(kind, {0}, AB), Is(kind, {1}, BC),
                test.Code([](TableHost::Tuple tuple) { return tuple[0] < tuple[1]; })});
  test.Require({Var(items)}, {Is(kind, {0}, AC),
                              test.Code([](TableHost::Tuple tuple) { return tuple[0] != 1; })});
  Expect(test, 12);
}

TEST(Feature, SymmetricChoice) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int pair = test.AddSymmetric("pair", items, 3);
  test.Require({Var(items), Var(items), Var(items)},  // Transitive.
               {Is(pair, {0, 1}, BC), Is(pair, {1, 2}, BC), Is(pair, {0, 2}, A)});
  test.Require({Var(items), Var(items)},
               {Is(pair, {0, 1}, AB),
                test.Code([](TableHost::Tuple tuple) { return tuple[0] < tuple[1]; })});
  Expect(test, 5);
}

TEST(Feature, AntisymmetricChoice) {
  Expect(OrderSpace(1, 2), 23);
}

TEST(Feature, AntisymmetricComparedWithItsImage) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int order = test.AddAntisymmetric("order", items, {1, 0, 2});
  const int kind = test.AddEnum("kind", {Var(items)}, 2);
  test.Require({Var(items), Var(items)},
               {Is(kind, {0}, A), Compares(order, {0, 1}, CompareOp::kEq, {1, 0})});
  test.Require({Var(items), Var(items), Var(items)},
               {Compares(order, {0, 1}, CompareOp::kNe, {1, 2}), Is(order, {2, 0}, AB)});
  Expect(test, 26);
}

TEST(Feature, Integers) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int size = test.AddInteger("size", {Var(items)}, [](TableHost::Tuple tuple) {
    return tuple[0] == 1 ? std::vector<std::uint32_t>{2, 3, 5, 9}
                         : std::vector<std::uint32_t>{1, 3, 4, 5, 8};
  });
  test.Require({Var(items)}, {test.ComparesCode(size, {0}, CompareOp::kLt, {9})});
  test.Require({Var(items), Var(items)}, {test.ComparesCode(size, {0}, CompareOp::kEq, {3, 4, 5}),
                                          test.ComparesCode(size, {1}, CompareOp::kNe, {3}),
                                          test.ComparesCode(size, {1}, CompareOp::kGe, {5, 8})});
  Expect(test, 46);
}

TEST(Feature, IntegerComparisons) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int kind = test.AddEnum("kind", {Var(items)}, 2);
  const int size = test.AddInteger("size", {Var(items)}, [](TableHost::Tuple tuple) {
    return tuple[0] == 1 ? std::vector<std::uint32_t>{2, 3, 5, 9}
                         : std::vector<std::uint32_t>{1, 3, 4, 5, 8};
  });
  test.Require({Var(items), Var(items)},
               {Is(kind, {0}, A), Is(kind, {1}, A), Compares(size, {0}, CompareOp::kEq, {1})});
  test.Require({Var(items), Var(items)},
               {Is(kind, {0}, B), Is(kind, {1}, B), Compares(size, {0}, CompareOp::kNe, {1})});
  test.Require({Var(items), Var(items)},
               {Is(kind, {0}, A), Is(kind, {1}, B), Compares(size, {0}, CompareOp::kGt, {1})});
  Expect(test, 146);
}

/// Items with a kind, and a counter over them that the caller completes.
struct Counting {
  explicit Counting(int num_items) {
    items = test.AddRoot("Items", num_items);
    kind = test.AddEnum("kind", {Var(items)}, 2);
    size = test.AddInteger("size", {Var(items)}, [](TableHost::Tuple) {
      return std::vector<std::uint32_t>{1, 2, 3};
    });
  }
  int Add(std::vector<runtime::Variable> arguments, std::vector<runtime::Variable> over,
          bool product, Visibility visibility, std::vector<runtime::Condition> when,
          runtime::ChoiceUse weight) {
    const runtime::CodeId one = test.Number(2);
    Choice& counter = test.AddCounter("n" + std::to_string(test.space.choices.size()),
                                      std::move(arguments), product, visibility);
    counter.over = std::move(over);
    counter.when = std::move(when);
    counter.weight = std::move(weight);
    if (counter.weight.choice < 0) counter.weight_code = one;
    return static_cast<int>(test.space.choices.size()) - 1;
  }
  TestSpace test;
  int items = -1, kind = -1, size = -1;
};

TEST(Feature, SumCounter) {
  Counting c(3);
  const int sum =
      c.Add({}, {Var(c.items)}, false, Visibility::kFull, {Is(c.kind, {0}, A)}, {c.size, {0}});
  c.test.Require({}, {c.test.ComparesCode(sum, {}, CompareOp::kLe, {5})});
  c.test.Require({}, {c.test.ComparesCode(sum, {}, CompareOp::kGt, {2})});
  Expect(c.test, 100);
}

TEST(Feature, ProductCounterWithAnExactBound) {
  Counting c(3);
  const int product =
      c.Add({}, {Var(c.items)}, true, Visibility::kFull, {Is(c.kind, {0}, A)}, {c.size, {0}});
  c.test.Require({}, {c.test.ComparesCode(product, {}, CompareOp::kEq, {6})});
  Expect(c.test, 24);
}

TEST(Feature, HalfCounter) {
  Counting c(3);
  const int sum = c.Add({Var(c.items)}, {Var(c.items)}, false, Visibility::kHalf,
                        {Is(c.kind, {1}, A), Is(c.kind, {0}, A)}, {c.size, {1}});
  c.test.Require({Var(c.items)}, {c.test.ComparesCode(sum, {0}, CompareOp::kLe, {3})});
  Expect(c.test, 193);
}

TEST(Feature, InternalCounterWithBase) {
  Counting c(3);
  const int sum = c.Add({}, {Var(c.items)}, false, Visibility::kInternal, {Is(c.kind, {0}, B)}, {});
  c.test.space.choices[sum].base = c.test.Number(1);
  c.test.Require({Var(c.items)}, {c.test.ComparesCode(sum, {}, CompareOp::kLe, {3}),
                                  c.test.ComparesCode(c.size, {0}, CompareOp::kEq, {2})});
  Expect(c.test, 112);
}

TEST(Feature, NestedCounters) {
  Counting c(3);
  const int inner =
      c.Add({Var(c.items)}, {Var(c.items)}, true, Visibility::kFull, {Is(c.kind, {1}, A)}, {});
  const int outer =
      c.Add({}, {Var(c.items)}, false, Visibility::kFull, {Is(c.kind, {0}, B)}, {inner, {0}});
  c.test.Require({}, {c.test.ComparesCode(outer, {}, CompareOp::kLe, {4})});
  c.test.Require({}, {c.test.ComparesCode(outer, {}, CompareOp::kGe, {3})});
  Expect(c.test, 189);
}

TEST(Feature, CountersComparedWithEachOther) {
  Counting c(3);
  const int sum = c.Add({Var(c.items)}, {Var(c.items)}, false, Visibility::kFull,
                        {Is(c.kind, {1}, A), c.test.ComparesCode(c.size, {1}, CompareOp::kLt, {3})},
                        {c.size, {1}});
  c.test.Require({Var(c.items), Var(c.items)},
                 {Is(c.kind, {0}, A), Compares(sum, {0}, CompareOp::kGe, {1})});
  Expect(c.test, 216);
}

/// Items 0 and 1 are there from the start; firing for one of them adds item 2.
struct Planning {
  explicit Planning(bool both) {
    items = test.AddRoot("Items", 3);
    fixed = test.AddSubset("Fixed", items, {0, 1});
    kind = test.AddEnum("kind", {Var(items)}, 2);
    test.AddTrigger({Var(fixed)}, {Is(kind, {0}, B), test.Code([both](TableHost::Tuple tuple) {
                                     return both || tuple[0] == 0;
                                   })},
                    [items = items](TableHost::Tuple) {
                      return Planned{{items, {kNoObject, 2}}};
                    });
  }
  TestSpace test;
  int items = -1, fixed = -1, kind = -1;
};

TEST(Feature, TriggerAddsAPlannedObject) {
  Planning p(false);
  p.test.Require({Var(p.items), Var(p.items)}, {Is(p.kind, {0}, A), Is(p.kind, {1}, A)});
  Expect(p.test, 3);
}

TEST(Feature, TwoTriggersAddTheSameObject) {
  Planning p(true);
  const int pair = p.test.AddSymmetric("pair", p.items, 2);
  p.test.Require({Var(p.items), Var(p.items)}, {Is(p.kind, {0}, A), Is(pair, {0, 1}, A)});
  Expect(p.test, 10);
}

TEST(Feature, PlannedObjectThatTriggersAnother) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int kind = test.AddEnum("kind", {Var(items)}, 2);
  test.AddTrigger({Var(items)}, {Is(kind, {0}, B)}, [items](TableHost::Tuple tuple) {
    if (tuple[0] == 2) return Planned{};
    return Planned{{items, {kNoObject, static_cast<Object>(tuple[0] + 1)}}};
  });
  test.Require({Var(items), Var(items), Var(items)},
               {Is(kind, {0}, A), Is(kind, {1}, A), Is(kind, {2}, A)});
  Expect(test, 3);
}

TEST(Feature, FullCounterForcesPlannedObjectsNotToCount) {
  Planning p(false);
  Choice& counter = p.test.AddCounter("n", {}, false, Visibility::kFull);
  counter.over = {Var(p.items)};
  counter.when = {Is(p.kind, {0}, B)};
  counter.weight_code = p.test.Number(1);
  Expect(p.test, 4);  // Item 2 must be A when it appears.
}

/// Objects that appear together with the counter's own are not late: they may count.
TEST(Feature, FullCounterOfPlannedObjects) {
  TestSpace test;
  const int items = test.AddRoot("Items", 4);
  const int fixed = test.AddSubset("Fixed", items, {0, 1});
  const int late = test.AddSubset("Late", items, {2, 3});
  const int kind = test.AddEnum("kind", {Var(items)}, 2);
  test.AddTrigger({Var(fixed)},
                  {Is(kind, {0}, B), test.Code([](TableHost::Tuple t) { return t[0] == 0; })},
                  [=](TableHost::Tuple) {
                    Planned planned;
                    for (const Object object : {Object{2}, Object{3}}) {
                      planned.push_back({items, {kNoObject, object}});
                      planned.push_back({late, {kNoObject, object}});
                    }
                    return planned;
                  });
  const runtime::CodeId one = test.Number(1);
  Choice& counter = test.AddCounter("n", {Var(late)}, false, Visibility::kFull);
  counter.over = {Var(late)};
  counter.when = {Is(kind, {1}, B)};
  counter.weight_code = one;
  test.Require({Var(late)},
               {Is(kind, {0}, A), test.ComparesCode(test.choice("n"), {0}, CompareOp::kLe, {0})});
  Expect(test, 8);  // 2 without the late ones, and 2 * 3 with at most one of them B.
}

TEST(Feature, HalfCounterMayGrow) {
  Planning p(false);
  const runtime::CodeId one = p.test.Number(1);
  Choice& counter = p.test.AddCounter("n", {}, false, Visibility::kHalf);
  counter.over = {Var(p.items)};
  counter.when = {Is(p.kind, {0}, B)};
  counter.weight_code = one;
  const int number = p.test.choice("n");
  p.test.Require({}, {p.test.ComparesCode(number, {}, CompareOp::kLe, {2})});
  Expect(p.test, 5);
}

TEST(Feature, QuotientWithoutParameter) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int kind = test.AddEnum("kind", {Var(items)}, 2);
  const int same = test.AddSymmetric("same", items, 2);
  test.Require({Var(items), Var(items), Var(items)},
               {Is(same, {0, 1}, B), Is(same, {1, 2}, B), Is(same, {0, 2}, A)});
  const int leads = test.AddQuotient("Leads", items, -1, {Is(kind, {0}, A)}, same, A);
  const int role = test.AddEnum("role", {Var(leads)}, 2);
  test.Require({Var(leads), Var(leads)}, {Is(role, {0}, A), Is(role, {1}, A)});
  Expect(test, 89);
}

TEST(Feature, QuotientWithParameterAndPlannedItem) {
  Planning p(false);
  const int owners = p.test.AddRoot("Owners", 2);
  const int same = p.test.AddAntisymmetric("same", p.items, {1, 0, 2});
  const int leads = p.test.AddQuotient(
      "Leads", p.items, owners,
      {Is(p.kind, {1}, A), p.test.Code([](TableHost::Tuple t) { return t[0] == 0 || t[1] != 1; })},
      same, C);
  p.test.Require({Var(owners), Var(leads, 0), Var(leads, 0)}, {Is(same, {1, 2}, BC)});
  Expect(p.test, 94);
}

}  // namespace
}  // namespace exh::tests
