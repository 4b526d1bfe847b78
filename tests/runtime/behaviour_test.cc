// SPDX-License-Identifier: MIT
//
// Behaviours of the published system that candidate_test.cc leaves open:
// membership, counters that objects arrive under, triggers, parametric sets, quotients with a
// parameter. Where we differ, because triggers are planned at the freeze and representatives are
// canonical, the tests say what holds instead.
#include <gtest/gtest.h>

#include "tests/runtime/model.h"

namespace exh::tests {
namespace {

using runtime::Bits;
using runtime::CompareOp;
using runtime::Host;
using runtime::Interval;
using runtime::kNoObject;
using runtime::Membership;
using runtime::Visibility;
using Planned = std::vector<Host::Planned>;

constexpr Bits A = 1, B = 2, C = 4, AB = 3, AC = 5, BC = 6, ABC = 7;

Planned Adds(int set, std::initializer_list<int> objects) {
  Planned planned;
  for (const int object : objects) {
    planned.push_back({set, {kNoObject, static_cast<Object>(object)}});
  }
  return planned;
}

// ---- Filters and membership.

/// A here asks for B elsewhere, unless the host knows better of the other object.
TEST(Behaviour, ACodeConditionFreesTheTargetOnBothSides) {
  TestSpace test;
  const int items = test.AddRoot("Items", 2);
  const int e = test.AddEnum("e", {Var(items)}, 3);
  test.Require({Var(items), Var(items)},
               {Is(e, {0}, BC), Is(e, {1}, B),
                test.Code([](TableHost::Tuple tuple) { return tuple[1] == 0; })});
  for (const Bits value : {A, B, C}) {
    Model first(test), second(test);
    ASSERT_TRUE(first.Set(e, {0}, value) && second.Set(e, {1}, value));
    EXPECT_EQ(first(e, {1}), value == A ? B : ABC);
    EXPECT_EQ(second(e, {0}), value == B ? ABC : BC);
  }
}

TEST(Behaviour, AQuantifierOverASubsetActsOnTheOthersNotOnTheMember) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int sub = test.AddSubset("Sub", items, {0});
  const int e = test.AddEnum("e", {Var(items)}, 3);
  test.Require({Var(sub), Var(items)}, {Is(e, {0}, AC), Is(e, {1}, BC)});
  Model member(test), other(test);
  ASSERT_TRUE(member.Set(e, {0}, B));
  EXPECT_EQ(member(e, {0}), B);
  EXPECT_EQ(member(e, {1}), BC);
  EXPECT_EQ(member(e, {2}), BC);
  ASSERT_TRUE(other.Set(e, {1}, B));
  EXPECT_EQ(other(e, {0}), ABC) << "the clause speaks of members that are B";
  EXPECT_EQ(other(e, {2}), ABC);
}

/// Two variables over sets without a common superset are never compared.
TEST(Behaviour, ObjectsOfTwoRootsAreDistinctWhateverTheirNumbers) {
  TestSpace test;
  const int left = test.AddRoot("Left", 1), right = test.AddRoot("Right", 1);
  const int l = test.AddEnum("l", {Var(left)}, 2), r = test.AddEnum("r", {Var(right)}, 2);
  test.Require({Var(left), Var(right)}, {Is(l, {0}, A), Is(r, {1}, A)});
  Model model(test);
  ASSERT_TRUE(model.Set(l, {0}, B));
  EXPECT_EQ(model(r, {0}), A);
}

// ---- Counters.

/// Owners count items of kind A; item 2 and owner 1 are planned, each behind a switch.
struct Arrivals {
  explicit Arrivals(Visibility visibility) {
    switches = test.AddRoot("Switches", 2);
    items = test.AddRoot("Items", 3);
    owners = test.AddRoot("Owners", 2);
    on = test.AddEnum("on", {Var(switches)}, 2);
    kind = test.AddEnum("kind", {Var(items)}, 2);
    const runtime::CodeId one = test.Number(1);
    runtime::Choice& n = test.AddCounter("n", {Var(owners)}, false, visibility);
    n.over = {Var(items)};
    n.when = {Is(kind, {1}, A)};
    n.weight_code = one;
    count = test.choice("n");
    test.AddTrigger({Var(switches)}, {Is(on, {0}, A)}, [this](TableHost::Tuple tuple) {
      return tuple[0] == 0 ? Adds(items, {2}) : Adds(owners, {1});
    });
  }
  TestSpace test;
  int switches, items, owners, on, kind, count;
};

TEST(Behaviour, AFullCounterNeverCountsWhatAppearsLater) {
  Arrivals a(Visibility::kFull);
  Model model(a.test);
  EXPECT_EQ(model.Counter(a.count, {0}), (Interval{0, 2}));
  ASSERT_TRUE(model.Set(a.on, {0}, A));
  EXPECT_EQ(model.Membership(a.items, 2), Membership::kCertain);
  EXPECT_EQ(model.Counter(a.count, {0}), (Interval{0, 2}));
  EXPECT_EQ(model(a.kind, {2}), B) << "its increment is forced not to count";
  EXPECT_EQ(model(a.kind, {0}), AB);
  ASSERT_TRUE(model.Set(a.on, {1}, A));
  EXPECT_EQ(model.Counter(a.count, {1}), (Interval{0, 2})) << "the new owner's items are open";
}

TEST(Behaviour, AnInternalCounterCountsWhatAppearsLater) {
  Arrivals a(Visibility::kInternal);
  Model model(a.test);
  ASSERT_TRUE(model.Set(a.kind, {0}, B));
  ASSERT_TRUE(model.Set(a.on, {0}, A));
  EXPECT_EQ(model(a.kind, {2}), AB);
  EXPECT_EQ(model.Counter(a.count, {0}), (Interval{0, 2}));
  ASSERT_TRUE(model.Set(a.kind, {2}, A));
  EXPECT_EQ(model.Counter(a.count, {0}), (Interval{1, 2}));
  ASSERT_TRUE(model.Set(a.kind, {1}, B));
  EXPECT_EQ(model.Counter(a.count, {0}), (Interval{1, 1}));
}

TEST(Behaviour, AnInternalCounterOfWhatIsAbsentCountsNothing) {
  Arrivals a(Visibility::kInternal);
  Model model(a.test);
  ASSERT_TRUE(model.Set(a.on, {0}, B));
  EXPECT_EQ(model.Membership(a.items, 2), Membership::kExcluded);
  ASSERT_TRUE(model.Set(a.kind, {0}, B) && model.Set(a.kind, {1}, B));
  EXPECT_EQ(model.Counter(a.count, {0}), (Interval{0, 0}));
}

TEST(Behaviour, AProductOfTwosSummedOverInstructions) {
  TestSpace test;
  const int dims = test.AddRoot("Dims", 3), insts = test.AddRoot("Insts", 2);
  const int foo = test.AddEnum("foo", {Var(dims)}, 2), bar = test.AddEnum("bar", {Var(insts)}, 2);
  const runtime::CodeId two = test.Number(2);
  runtime::Choice& inner = test.AddCounter("inner", {Var(dims)}, true, Visibility::kFull);
  inner.over = {Var(dims)};
  inner.when = {Is(foo, {1}, A)};
  inner.weight_code = two;
  const int inner_number = test.choice("inner");
  runtime::Choice& outer = test.AddCounter("outer", {Var(dims)}, false, Visibility::kFull);
  outer.over = {Var(insts)};
  outer.when = {Is(bar, {1}, A)};
  outer.weight = {inner_number, {0}};
  const int outer_number = test.choice("outer");
  Model model(test);
  ASSERT_TRUE(model.Set(bar, {0}, A));
  EXPECT_EQ(model.Counter(outer_number, {0}), (Interval{1, 8}));
  ASSERT_TRUE(model.Set(foo, {1}, A));
  EXPECT_EQ(model.Counter(outer_number, {0}), (Interval{2, 8}));
  ASSERT_TRUE(model.Set(foo, {2}, B));
  EXPECT_EQ(model.Counter(outer_number, {0}), (Interval{2, 4}));
}

// ---- Triggers.

/// A pair that is decided before the search has fired at the root; nothing fires for an object and
/// itself, because the objects of a tuple are distinct.
TEST(Behaviour, APresetPairFiresAtTheRootAndNoPairWithItself) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3), blocks = test.AddRoot("Blocks", 9);
  const int foo = test.AddEnum("foo", {Var(items), Var(items)}, 2);
  test.AddTrigger({Var(items), Var(items)}, {Is(foo, {0, 1}, A)}, [blocks](TableHost::Tuple tuple) {
    EXPECT_NE(tuple[0], tuple[1]);
    return Adds(blocks, {3 * tuple[0] + tuple[1]});
  });
  test.Require({Var(items), Var(items)}, {Is(foo, {0, 1}, A), test.Code([](TableHost::Tuple tuple) {
                                            return tuple[0] != 0 || tuple[1] != 1;
                                          })});
  Model model(test);
  EXPECT_EQ(model.Membership(blocks, 1), Membership::kCertain);
  EXPECT_EQ(model.Membership(blocks, 2), Membership::kUndecided);
  ASSERT_TRUE(model.Set(foo, {2, 0}, A));
  EXPECT_EQ(model.Membership(blocks, 6), Membership::kCertain);
  EXPECT_EQ(model.Membership(blocks, 2), Membership::kUndecided) << "the other order is its own";
}

/// Firing twice would add twice: a trigger whose values narrow further stays fired, once.
TEST(Behaviour, NarrowingWithinTheConditionChangesNothing) {
  TestSpace test;
  const int items = test.AddRoot("Items", 1), blocks = test.AddRoot("Blocks", 1);
  const int foo = test.AddEnum("foo", {Var(items)}, 3);
  int plans = 0;
  test.AddTrigger({Var(items)}, {Is(foo, {0}, AB)}, [&](TableHost::Tuple) {
    ++plans;
    return Adds(blocks, {0});
  });
  Model model(test);
  ASSERT_TRUE(model.Set(foo, {0}, AB));
  EXPECT_EQ(model.Membership(blocks, 0), Membership::kCertain);
  ASSERT_TRUE(model.Set(foo, {0}, A));
  EXPECT_EQ(model.Membership(blocks, 0), Membership::kCertain);
  EXPECT_EQ(plans, 1) << "the host is asked once per tuple, at the freeze";
}

/// Two conditions of one trigger on one decision: both must hold, not one of them.
TEST(Behaviour, TwoConditionsOnOneDecisionAreAnIntersection) {
  TestSpace test;
  const int items = test.AddRoot("Items", 1), blocks = test.AddRoot("Blocks", 1);
  const int foo = test.AddEnum("foo", {Var(items)}, 3);
  test.AddTrigger({Var(items)}, {Is(foo, {0}, AB), Is(foo, {0}, BC)},
                  [&](TableHost::Tuple) { return Adds(blocks, {0}); });
  Model in(test), out(test);
  ASSERT_TRUE(in.Set(foo, {0}, B) && out.Set(foo, {0}, A));
  EXPECT_EQ(in.Membership(blocks, 0), Membership::kCertain);
  EXPECT_EQ(out.Membership(blocks, 0), Membership::kExcluded);
}

/// A requirement whose object occurs in no decision of it acts once the object is there.
TEST(Behaviour, AnObjectThatNoDecisionMentionsIsAskedForAllTheSame) {
  TestSpace test;
  const int switches = test.AddRoot("Switches", 1), blocks = test.AddRoot("Blocks", 1);
  const int items = test.AddRoot("Items", 2);
  const int in_block = test.AddParametric("InBlock", blocks, items, {{0, 0}, {0, 1}});
  const int on = test.AddEnum("on", {Var(switches)}, 2);
  const int pair = test.AddSymmetric("pair", items, 3);
  test.AddTrigger({Var(switches)}, {Is(on, {0}, A)},
                  [blocks](TableHost::Tuple) { return Adds(blocks, {0}); });
  test.Require({Var(blocks), Var(in_block, 0), Var(in_block, 0)}, {Is(pair, {1, 2}, A)});
  Model model(test);
  EXPECT_EQ(model(pair, {0, 1}), ABC);
  ASSERT_TRUE(model.Set(on, {0}, A));
  EXPECT_EQ(model(pair, {0, 1}), A);
}

/// And back: when it cannot hold, the object cannot appear.
TEST(Behaviour, WhatAnObjectWouldViolateKeepsItsTriggersFromFiring) {
  TestSpace test;
  const int switches = test.AddRoot("Switches", 1), blocks = test.AddRoot("Blocks", 1);
  const int items = test.AddRoot("Items", 1);
  const int on = test.AddEnum("on", {Var(switches)}, 2);
  const int foo = test.AddEnum("foo", {Var(items)}, 2);
  test.AddTrigger({Var(switches)}, {Is(on, {0}, A)},
                  [blocks](TableHost::Tuple) { return Adds(blocks, {0}); });
  test.Require({Var(blocks), Var(items)}, {Is(foo, {1}, A)});
  Model model(test);
  ASSERT_TRUE(model.Set(foo, {0}, B));
  EXPECT_EQ(model.Membership(blocks, 0), Membership::kExcluded);
  EXPECT_EQ(model(on, {0}), B);
}

// ---- Parametric sets.

TEST(Behaviour, OperandsAndInstructionsConstrainEachOtherForTheirOwnerOnly) {
  TestSpace test;
  const int insts = test.AddRoot("Insts", 2);
  const int operands = test.AddRoot("Operands", 3);
  const int of = test.AddParametric("OperandsOf", insts, operands, {{0, 0}, {1, 1}, {1, 2}});
  const int mode = test.AddEnum("mode", {Var(insts)}, 2);
  const int place = test.AddEnum("place", {Var(operands)}, 2);
  test.Require({Var(insts), Var(of, 0)}, {Is(mode, {0}, B), Is(place, {1}, A)});
  Model down(test), up(test);
  ASSERT_TRUE(down.Set(mode, {1}, A));
  EXPECT_EQ(down(place, {0}), AB);
  EXPECT_EQ(down(place, {1}), A);
  EXPECT_EQ(down(place, {2}), A);
  ASSERT_TRUE(up.Set(place, {2}, B));
  EXPECT_EQ(up(mode, {1}), B);
  EXPECT_EQ(up(mode, {0}), AB);
}

/// An operand that a trigger adds is constrained by what its instruction has decided already.
TEST(Behaviour, AnOperandThatAppearsMeetsItsInstruction) {
  TestSpace test;
  const int insts = test.AddRoot("Insts", 2);
  const int operands = test.AddRoot("Operands", 2);
  const int of = test.AddParametric("OperandsOf", insts, operands, {{0, 0}, {1, 1}});
  const int mode = test.AddEnum("mode", {Var(insts)}, 2), on = test.AddEnum("on", {Var(insts)}, 2);
  const int place = test.AddEnum("place", {Var(operands)}, 2);
  test.Require({Var(insts), Var(of, 0)}, {Is(mode, {0}, B), Is(place, {1}, A)});
  test.AddTrigger({Var(insts)}, {Is(on, {0}, A)}, [=](TableHost::Tuple tuple) {
    return Planned{{operands, {kNoObject, tuple[0]}}, {of, {tuple[0], tuple[0]}}};
  });
  Model model(test);
  ASSERT_TRUE(model.Set(mode, {0}, A));
  ASSERT_TRUE(model.Set(on, {0}, A) && model.Set(on, {1}, A));
  EXPECT_EQ(model(place, {0}), A);
  EXPECT_EQ(model(place, {1}), AB);
}

/// A part of a parameter set, and a part of the parametric set: only objects in both are met.
TEST(Behaviour, PartsOfAParameterSetAndOfItsMembers) {
  TestSpace test;
  const int owners = test.AddRoot("Owners", 2), items = test.AddRoot("Items", 2);
  const int big = test.AddSubset("BigOwners", owners, {0});
  const int owned = test.AddParametric("Owned", owners, items, {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  const int hot = test.AddParametric("HotOwned", owners, owned, {{0, 1}, {1, 0}});
  const int use = test.AddEnum("use", {Var(owners), Var(owned, 0)}, 2);
  const int temper = test.AddEnum("temper", {Var(items)}, 2);
  test.Require({Var(big), Var(hot, 0)}, {Is(use, {0, 1}, A)});
  test.Require({Var(big), Var(hot, 0)}, {Is(temper, {1}, A)});
  const Model model(test);
  EXPECT_EQ(model(use, {0, 1}), A);
  EXPECT_EQ(model(use, {0, 0}), AB);
  EXPECT_EQ(model(use, {1, 0}), AB) << "owner 1 is not big";
  EXPECT_EQ(model(temper, {1}), A) << "from the item back to the big owners that have it";
  EXPECT_EQ(model(temper, {0}), AB);
}

// ---- Quotients.

/// Two crews choose from three workers. The representative is the one with the smallest number, so
/// unlike in the published system it does not depend on who was eligible first.
struct Crews {
  Crews() {
    crews = test.AddRoot("Crews", 2);
    workers = test.AddRoot("Workers", 3);
    assigned = test.AddEnum("assigned", {Var(crews), Var(workers)}, 2);
    team = test.AddSymmetric("team", workers, 2);
    test.Require({Var(workers), Var(workers), Var(workers)},
                 {Is(team, {0, 1}, B), Is(team, {1, 2}, B), Is(team, {0, 2}, A)});
    leads = test.AddQuotient("Leads", workers, crews, {Is(assigned, {0, 1}, A)}, team, A);
    flag = test.choice("is_Leads");
  }
  TestSpace test;
  int crews, workers, assigned, team, leads, flag;
};

TEST(Behaviour, AQuotientWithAParameterElectsPerParameter) {
  Crews c;
  Model model(c.test);
  for (Object worker = 0; worker < 3; ++worker) EXPECT_EQ(model(c.flag, {0, worker}), AB);
  ASSERT_TRUE(model.Set(c.assigned, {0, 1}, A));
  EXPECT_EQ(model(c.flag, {0, 1}), AB) << "worker 0 may still stand for it";
  ASSERT_TRUE(model.Set(c.assigned, {0, 0}, B));
  EXPECT_EQ(model(c.flag, {0, 1}), B);
  EXPECT_EQ(model.Membership(c.leads, 1, 0), Membership::kCertain);
  EXPECT_EQ(model(c.flag, {1, 1}), AB) << "the other crew is its own";
}

TEST(Behaviour, ForcedFlagsActOnDividendAndEquivalence) {
  Crews c;
  Model in(c.test), out(c.test);
  ASSERT_TRUE(in.Set(c.assigned, {0, 0}, A) && in.Set(c.flag, {0, 2}, B));
  EXPECT_EQ(in(c.assigned, {0, 2}), A) << "TRUE forces the dividend";
  EXPECT_EQ(in(c.team, {0, 2}), B) << "and excludes the eligible ones before it";
  ASSERT_TRUE(out.Set(c.flag, {0, 1}, A) && out.Set(c.team, {0, 1}, B));
  EXPECT_EQ(out(c.assigned, {0, 1}), B) << "FALSE and unlike all others: not eligible";
}

TEST(Behaviour, TheOrderOfDecisionsDoesNotShow) {
  Crews c;
  Model forward(c.test), backward(c.test);
  ASSERT_TRUE(forward.Set(c.assigned, {0, 0}, A) && forward.Set(c.assigned, {0, 2}, A) &&
              forward.Set(c.team, {0, 2}, A));
  ASSERT_TRUE(backward.Set(c.team, {0, 2}, A) && backward.Set(c.assigned, {0, 2}, A) &&
              backward.Set(c.assigned, {0, 0}, A));
  for (Object worker = 0; worker < 3; ++worker) {
    EXPECT_EQ(forward(c.flag, {0, worker}), backward(c.flag, {0, worker}));
  }
  EXPECT_EQ(forward(c.flag, {0, 0}), B);
  EXPECT_EQ(forward(c.flag, {0, 2}), A);
}

}  // namespace
}  // namespace exh::tests
