// SPDX-License-Identifier: MIT
//
// Behaviours of the published system, one by one, under the semantics of planned objects and
// canonical quotients.
#include "runtime/candidate.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/runtime/model.h"

namespace exh::tests {
namespace {

using runtime::Bits;
using runtime::Candidate;
using runtime::CompareOp;
using runtime::Host;
using runtime::Instance;
using runtime::Interval;
using runtime::kNoObject;
using runtime::Membership;
using runtime::Propagation;
using runtime::Visibility;
using Planned = std::vector<Host::Planned>;

constexpr Bits A = 1, B = 2, C = 4, AB = 3, AC = 5, BC = 6, ABC = 7;

/// The domain of o0 for each domain of o1, under requirements over two objects.
struct Pair {
  Pair() : items(test.AddRoot("Items", 2)), e(test.AddEnum("e", {Var(items)}, 3)) {}
  Bits Allowed(Bits other) const {
    Model model(test);
    EXPECT_TRUE(model.Set(e, {1}, other));
    return model(e, {0});
  }
  TestSpace test;
  int items, e;
};

TEST(Filters, AValueRequiresTheOthers) {
  Pair p;  // C requires all others in B|C: A elsewhere excludes C.
  p.test.Require({Var(p.items), Var(p.items)}, {Is(p.e, {0}, BC), Is(p.e, {1}, AB)});
  EXPECT_EQ(p.Allowed(A), AB);
  EXPECT_EQ(p.Allowed(B), ABC);
  EXPECT_EQ(p.Allowed(C), BC);
  EXPECT_EQ(p.Allowed(ABC), ABC);
}

TEST(Filters, EqualityAndInequality) {
  Pair equal, different;
  equal.test.Require({Var(0), Var(0)}, {Compares(equal.e, {0}, CompareOp::kEq, {1})});
  different.test.Require({Var(0), Var(0)}, {Compares(different.e, {0}, CompareOp::kNe, {1})});
  for (const Bits value : {A, B, C}) {
    EXPECT_EQ(equal.Allowed(value), value);
    EXPECT_EQ(different.Allowed(value), ABC & ~value);
  }
  EXPECT_EQ(equal.Allowed(ABC), ABC);
  EXPECT_EQ(different.Allowed(ABC), ABC);
  EXPECT_EQ(different.Allowed(AB), ABC) << "must not prune while the other side is open";
}

TEST(Filters, InequalityOverASubset) {
  Pair p;
  const int sub = p.test.AddSubset("Sub", p.items, {1});
  p.test.Require({Var(p.items), Var(sub)}, {Compares(p.e, {0}, CompareOp::kNe, {1})});
  EXPECT_EQ(p.Allowed(AB), ABC);
  EXPECT_EQ(p.Allowed(B), AC);
}

TEST(Filters, HostCode) {
  Pair p;
  const auto is_first = [](TableHost::Tuple tuple) { return tuple[0] == 0; };
  p.test.Require({Var(p.items)}, {Is(p.e, {0}, BC), p.test.Code(is_first)});
  p.test.Require({Var(p.items)},
                 {Is(p.e, {0}, AC), p.test.Code([=](TableHost::Tuple t) { return !is_first(t); })});
  const Model model(p.test);
  EXPECT_EQ(model(p.e, {0}), AC);
  EXPECT_EQ(model(p.e, {1}), BC);
}

TEST(Filters, ClauseOverThreeDecisions) {
  TestSpace test;
  const int items = test.AddRoot("Items", 2);
  const int e1 = test.AddEnum("e1", {Var(items)}, 3), e2 = test.AddEnum("e2", {Var(items)}, 3);
  test.Require({Var(items), Var(items)}, {Is(e1, {0}, A), Is(e2, {0}, B), Is(e1, {1}, C)});
  for (const Bits other : {A, B, C}) {
    for (const Bits own : {A, B, C}) {
      Model model(test);
      // The clause over (1, 0) too: with e2(1) = B it holds.
      ASSERT_TRUE(model.Set(e2, {1}, B) && model.Set(e1, {1}, other) && model.Set(e2, {0}, own));
      EXPECT_EQ(model(e1, {0}), other == C || own == B ? ABC : A);
    }
  }
}

TEST(Filters, ValueOrDifferent) {
  Pair p;
  const int sub = p.test.AddSubset("Sub", p.items, {0});
  p.test.Require({Var(sub), Var(p.items)},
                 {Is(p.e, {0}, A), Compares(p.e, {0}, CompareOp::kNe, {1})});
  EXPECT_EQ(p.Allowed(A), ABC);
  EXPECT_EQ(p.Allowed(B), AC);
  EXPECT_EQ(p.Allowed(C), AB);
}

TEST(Filters, SubsetActsOnMembersAndUpwards) {
  TestSpace test;
  const int items = test.AddRoot("Items", 2);
  const int sub = test.AddSubset("Sub", items, {0});
  const int e5 = test.AddEnum("e5", {Var(items)}, 3), e6 = test.AddEnum("e6", {Var(sub)}, 3);
  test.Require({Var(sub)}, {Is(e5, {0}, AB)});
  test.Require({Var(sub)}, {Is(e6, {0}, BC), Is(e5, {0}, A)});
  Model model(test);
  EXPECT_EQ(model(e5, {0}), AB);
  EXPECT_EQ(model(e5, {1}), ABC);
  ASSERT_TRUE(model.Set(e6, {0}, A));
  EXPECT_EQ(model(e5, {0}), A);
}

TEST(Strength, TwoRequirementsActTogether) {
  Pair p;
  p.test.Require({Var(p.items), Var(p.items)}, {Is(p.e, {0}, BC), Is(p.e, {1}, AC)});
  p.test.Require({Var(p.items), Var(p.items)}, {Is(p.e, {0}, BC), Is(p.e, {1}, BC)});
  EXPECT_EQ(p.Allowed(AB), BC) << "each alone would keep A";
}

TEST(Strength, PairClauseActsWithTooFewObjectsForTheTriple) {
  Pair p;
  p.test.Require({Var(p.items), Var(p.items)}, {Is(p.e, {0}, A), Is(p.e, {1}, AB)});
  p.test.Require({Var(p.items), Var(p.items), Var(p.items)},
                 {Is(p.e, {0}, A), Is(p.e, {1}, B), Is(p.e, {2}, AB)});
  EXPECT_EQ(p.Allowed(C), A);
}

TEST(Strength, FailureFromEitherSide) {
  Pair p;
  p.test.Require({Var(p.items), Var(p.items)}, {Is(p.e, {0}, A), Is(p.e, {1}, A)}, "one_is_a");
  for (const Object first : {Object{0}, Object{1}}) {
    Model model(p.test);
    ASSERT_TRUE(model.Set(p.e, {first}, B));
    EXPECT_EQ(model(p.e, {static_cast<Object>(1 - first)}), A);
    EXPECT_FALSE(model.Set(p.e, {static_cast<Object>(1 - first)}, B));
  }
}

TEST(Symmetry, BothOrdersOfAPairAreOneDecision) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int s = test.AddSymmetric("s", items, 3);
  const int o = test.AddAntisymmetric("o", items, {1, 0, 3, 2, 4});
  Model model(test);
  ASSERT_TRUE(model.Set(s, {1, 0}, AB));
  EXPECT_EQ(model(s, {0, 1}), AB);
  EXPECT_EQ(model(s, {1, 2}), ABC);
  ASSERT_TRUE(model.Set(o, {2, 0}, A | C | 16));
  EXPECT_EQ(model(o, {2, 0}), Bits{A | C | 16});
  EXPECT_EQ(model(o, {0, 2}), Bits{B | 8 | 16});
}

TEST(Symmetry, ClausesOverBothOrders) {
  TestSpace test;
  const int items = test.AddRoot("Items", 2);
  const int s = test.AddSymmetric("s", items, 3), t = test.AddSymmetric("t", items, 3);
  const int o = test.AddAntisymmetric("o", items, {1, 0, 2});
  test.Require({Var(items), Var(items)}, {Is(s, {0, 1}, A), Is(s, {1, 0}, B)});
  const auto ascending = [](TableHost::Tuple tuple) { return tuple[0] > tuple[1]; };
  test.Require({Var(items), Var(items)}, {Is(t, {0, 1}, AB), test.Code(ascending)});
  test.Require({Var(items), Var(items)}, {Is(t, {1, 0}, BC), test.Code(ascending)});
  test.Require({Var(items), Var(items)}, {Compares(o, {0, 1}, CompareOp::kEq, {1, 0})});
  const Model model(test);
  EXPECT_EQ(model(s, {0, 1}), AB);
  EXPECT_EQ(model(t, {0, 1}), B);
  EXPECT_EQ(model(o, {0, 1}), C);
}

TEST(Counters, BaseAndUnconditionalIncrements) {
  TestSpace test;
  const int items = test.AddRoot("Items", 2), owners = test.AddRoot("Owners", 2);
  const runtime::CodeId three = test.Number(3), one = test.Number(1);
  runtime::Choice& n = test.AddCounter("n", {Var(owners)}, false, Visibility::kFull);
  n.base = three;
  n.over = {Var(items)};
  n.weight_code = one;
  const Model model(test);
  const Object owner[] = {1};
  EXPECT_EQ(model.candidate().counter(test.choice("n"), owner), (Interval{5, 5}));
}

/// Items whose kind A counts.
struct Counted {
  Counted(int num_items, bool product = false) {
    items = test.AddRoot("Items", num_items);
    kind = test.AddEnum("kind", {Var(items)}, 2);
    const runtime::CodeId weight = test.Number(product ? 2 : 1);
    runtime::Choice& choice = test.AddCounter("n", {}, product, Visibility::kFull);
    choice.over = {Var(items)};
    choice.when = {Is(kind, {0}, A)};
    choice.weight_code = weight;
    n = test.choice("n");
  }
  TestSpace test;
  int items, kind, n;
};

TEST(Counters, FollowTheirIncrements) {
  Counted c(6);
  Model model(c.test);
  ASSERT_TRUE(model.Set(c.kind, {0}, A) && model.Set(c.kind, {1}, B));
  EXPECT_EQ(model.candidate().counter(c.n, {}), (Interval{1, 5}));
  ASSERT_TRUE(model.Set(c.kind, {2}, A) && model.Set(c.kind, {3}, B));
  EXPECT_EQ(model.candidate().counter(c.n, {}), (Interval{2, 4}));
}

TEST(Counters, BoundsForceIncrements) {
  Counted c(3);
  c.test.Require({}, {c.test.ComparesCode(c.n, {}, CompareOp::kGe, {1})});
  c.test.Require({}, {c.test.ComparesCode(c.n, {}, CompareOp::kLt, {3})});
  Model low(c.test), high(c.test);
  ASSERT_TRUE(low.Set(c.kind, {0}, B));
  EXPECT_EQ(low(c.kind, {2}), AB);
  ASSERT_TRUE(low.Set(c.kind, {1}, B));
  EXPECT_EQ(low(c.kind, {2}), A);
  ASSERT_TRUE(high.Set(c.kind, {0}, A) && high.Set(c.kind, {1}, A));
  EXPECT_EQ(high(c.kind, {2}), B);
}

TEST(Counters, HalfCounterPrunes) {
  Counted c(3);
  c.test.space.choices[c.n].visibility = Visibility::kHalf;
  c.test.Require({}, {c.test.ComparesCode(c.n, {}, CompareOp::kLt, {3})});
  Model model(c.test);
  ASSERT_TRUE(model.Set(c.kind, {0}, A) && model.Set(c.kind, {1}, A));
  EXPECT_EQ(model(c.kind, {2}), B);
}

TEST(Counters, SumOfIntegers) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int size = test.AddInteger("size", {Var(items)}, [](TableHost::Tuple) {
    return std::vector<std::uint32_t>{3, 4, 5};
  });
  runtime::Choice& sum = test.AddCounter("sum", {}, false, Visibility::kFull);
  sum.over = {Var(items)};
  sum.weight = {size, {0}};
  test.Require({}, {test.ComparesCode(test.choice("sum"), {}, CompareOp::kLe, {12})});
  Model model(test);
  const auto interval = [&] { return model.candidate().counter(test.choice("sum"), {}); };
  EXPECT_EQ(interval(), (Interval{9, 12}));  // [9, 15] within the bound.
  ASSERT_TRUE(model.Set(size, {0}, B));
  EXPECT_EQ(interval(), (Interval{10, 12}));
  ASSERT_TRUE(model.Set(size, {1}, C));
  EXPECT_EQ(interval(), (Interval{12, 12}));
  EXPECT_EQ(model(size, {2}), A);
}

/// A product divides exactly: (U / min) * lo rounded first would lose legal values.
TEST(Counters, ProductBoundsDivideExactly) {
  TestSpace test;
  const int items = test.AddRoot("Items", 2);
  const int size = test.AddInteger("size", {Var(items)}, [](TableHost::Tuple tuple) {
    return tuple[0] == 0 ? std::vector<std::uint32_t>{3, 30, 32, 33}
                         : std::vector<std::uint32_t>{32};
  });
  runtime::Choice& product = test.AddCounter("product", {}, true, Visibility::kFull);
  product.over = {Var(items)};
  product.weight = {size, {0}};
  test.Require({}, {test.ComparesCode(test.choice("product"), {}, CompareOp::kLe, {1024})});
  EXPECT_EQ(Model(test)(size, {0}), Bits{7});
}

TEST(Counters, ExactProductKeepsOnlyDivisorsThatComplete) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int size = test.AddInteger("size", {Var(items)}, [](TableHost::Tuple) {
    return std::vector<std::uint32_t>{2, 3, 4, 5, 6, 12};
  });
  runtime::Choice& product = test.AddCounter("product", {}, true, Visibility::kFull);
  product.over = {Var(items)};
  product.weight = {size, {0}};
  test.Require({}, {test.ComparesCode(test.choice("product"), {}, CompareOp::kEq, {24})});
  Model model(test);
  EXPECT_EQ(model(size, {0}), Bits{1 | 2 | 4 | 16}) << "5 and 12 complete nothing: 24 = 12 * 2 * 1";
  ASSERT_TRUE(model.Set(size, {0}, Bits{2}));  // 3: the others are 2 * 4.
  EXPECT_EQ(model(size, {1}), Bits{1 | 4});
}

TEST(Counters, OfCountersPushBoundsDown) {
  TestSpace test;
  const int dims = test.AddRoot("Dims", 2), insts = test.AddRoot("Insts", 2);
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
  const int sub = test.AddSubset("First", dims, {0});
  test.Require({Var(sub)}, {test.ComparesCode(outer_number, {0}, CompareOp::kEq, {2})});
  Model model(test);
  ASSERT_TRUE(model.Set(bar, {0}, A));
  ASSERT_TRUE(model.Set(foo, {1}, A));  // inner(dim 0) = 2, so one instruction is all.
  EXPECT_EQ(model(bar, {1}), B);
}

TEST(Counters, SymmetricIncrement) {
  TestSpace test;
  const int items = test.AddRoot("Items", 2);
  const int s = test.AddSymmetric("s", items, 2), o = test.AddAntisymmetric("o", items, {1, 0});
  const runtime::CodeId one = test.Number(1);
  for (const int choice : {s, o}) {
    runtime::Choice& n =
        test.AddCounter("n" + std::to_string(choice), {Var(items)}, false, Visibility::kFull);
    n.over = {Var(items)};
    n.when = {Is(choice, {0, 1}, A)};
    n.weight_code = one;
  }
  Model model(test);
  ASSERT_TRUE(model.Set(s, {0, 1}, A) && model.Set(o, {0, 1}, A));
  const auto counter = [&](int choice, Object object) {
    return model.candidate().counter(test.choice("n" + std::to_string(choice)), {&object, 1});
  };
  EXPECT_EQ(counter(s, 0), (Interval{1, 1}));
  EXPECT_EQ(counter(s, 1), (Interval{1, 1}));
  EXPECT_EQ(counter(o, 0), (Interval{1, 1}));
  EXPECT_EQ(counter(o, 1), (Interval{0, 0}));
}

TEST(Triggers, FireOnlyForTheirTuple) {
  TestSpace test;
  const int items = test.AddRoot("Items", 4);
  const int fixed = test.AddSubset("Fixed", items, {0, 1});
  const int foo = test.AddEnum("foo", {Var(items)}, 3);
  test.AddTrigger({Var(fixed)}, {Is(foo, {0}, A)}, [items](TableHost::Tuple tuple) {
    return Planned{{items, {kNoObject, static_cast<Object>(tuple[0] + 2)}}};
  });
  test.Require({Var(items), Var(items)}, {Is(foo, {0}, AB), Is(foo, {1}, BC)});
  Model model(test);
  const auto membership = [&](Object object) {
    return model.candidate().membership(items, kNoObject, object);
  };
  const auto id = model.candidate().instance().first_decision(foo);
  EXPECT_EQ(membership(2), Membership::kUndecided);
  EXPECT_FALSE(model.candidate().IsOpen(id + 2)) << "a decision of an absent object is hidden";
  EXPECT_EQ(model(foo, {2}), ABC);
  ASSERT_TRUE(model.Set(foo, {0}, A));
  EXPECT_EQ(membership(2), Membership::kCertain);
  EXPECT_EQ(membership(3), Membership::kUndecided);
  EXPECT_EQ(model(foo, {2}), AB) << "a requirement on it acts when it appears";
  EXPECT_EQ(model(foo, {3}), ABC);
  EXPECT_TRUE(model.candidate().IsOpen(id + 2));
  ASSERT_TRUE(model.Set(foo, {1}, B));
  EXPECT_EQ(membership(3), Membership::kExcluded);
  EXPECT_EQ(model(foo, {3}), ABC);
}

TEST(Triggers, SwappedTuplesBothFire) {
  TestSpace test;
  const int items = test.AddRoot("Items", 2), blocks = test.AddRoot("Blocks", 2);
  const int bar = test.AddEnum("bar", {Var(items)}, 2);
  test.AddTrigger({Var(items), Var(items)}, {Is(bar, {0}, A), Is(bar, {1}, A)},
                  [blocks](TableHost::Tuple tuple) {
                    return Planned{{blocks, {kNoObject, tuple[0]}}};
                  });
  Model model(test);
  ASSERT_TRUE(model.Set(bar, {0}, A));
  EXPECT_EQ(model.candidate().membership(blocks, kNoObject, 0), Membership::kUndecided);
  ASSERT_TRUE(model.Set(bar, {1}, A));
  EXPECT_EQ(model.candidate().membership(blocks, kNoObject, 0), Membership::kCertain);
  EXPECT_EQ(model.candidate().membership(blocks, kNoObject, 1), Membership::kCertain);
  EXPECT_TRUE(model.candidate().IsImplementation());
}

TEST(Triggers, AnObjectMustNotNeedItself) {
  TestSpace test;
  const int items = test.AddRoot("Items", 2);
  const int foo = test.AddEnum("foo", {Var(items)}, 2);
  test.AddTrigger({Var(items)}, {Is(foo, {0}, A)}, [items](TableHost::Tuple tuple) {
    return Planned{{items, {kNoObject, static_cast<Object>(1 - tuple[0])}}};
  });
  EXPECT_THROW(Instance::Freeze(test.space, test.host), exh::Error);
}

TEST(Triggers, MustAddWhatTheHostLists) {
  TestSpace test;
  const int items = test.AddRoot("Items", 1);
  const int sub = test.AddSubset("Sub", items, {});
  const int foo = test.AddEnum("foo", {Var(items)}, 2);
  test.AddTrigger({Var(items)}, {Is(foo, {0}, A)}, [sub](TableHost::Tuple) {
    return Planned{{sub, {kNoObject, 0}}};
  });
  EXPECT_THROW(Instance::Freeze(test.space, test.host), exh::Error);
}

/// Four items, merged or not (transitive), each class with its smallest item as representative.
struct Classes {
  Classes(std::vector<runtime::Condition> dividend) {
    items = test.AddRoot("Items", 3);
    kind = test.AddEnum("kind", {Var(items)}, 2);
    merged = test.AddSymmetric("merged", items, 2);
    test.Require({Var(items), Var(items), Var(items)},
                 {Is(merged, {0, 1}, B), Is(merged, {1, 2}, B), Is(merged, {0, 2}, A)});
    leads = test.AddQuotient("Leads", items, -1, std::move(dividend), merged, A);
    flag = test.choice("is_Leads");
  }
  TestSpace test;
  int items, kind, merged, leads, flag;
};
constexpr Bits kFalse = 1, kTrue = 2;

TEST(Quotients, SmallestItemOfAClass) {
  Classes c({});
  Model model(c.test);
  EXPECT_EQ(model(c.flag, {0}), kTrue);
  EXPECT_EQ(model(c.flag, {1}), kTrue | kFalse);
  EXPECT_TRUE(
      model.candidate().instance().IsDerived(model.candidate().instance().first_decision(c.flag)));
  ASSERT_TRUE(model.Set(c.merged, {0, 1}, B));
  EXPECT_EQ(model(c.flag, {1}), kTrue);
  Model forced_in(c.test), forced_out(c.test);
  ASSERT_TRUE(forced_in.Set(c.flag, {2}, kTrue));
  EXPECT_EQ(forced_in(c.merged, {0, 2}), B);
  EXPECT_EQ(forced_in(c.merged, {1, 2}), B);
  ASSERT_TRUE(forced_out.Set(c.flag, {1}, kFalse));
  EXPECT_EQ(forced_out(c.merged, {0, 1}), A) << "only one possible class";
}

TEST(Quotients, DividendAndMembership) {
  Classes c({Is(1 - 1, {0}, A)});
  Model model(c.test);
  EXPECT_EQ(model(c.flag, {0}), kTrue | kFalse);
  ASSERT_TRUE(model.Set(c.kind, {0}, B));
  EXPECT_EQ(model(c.flag, {0}), kFalse);
  EXPECT_EQ(model.candidate().membership(c.leads, kNoObject, 0), Membership::kExcluded);
  ASSERT_TRUE(model.Set(c.flag, {2}, kTrue));
  EXPECT_EQ(model(c.kind, {2}), A) << "a forced flag forces the dividend";
  ASSERT_TRUE(model.Set(c.flag, {1}, kFalse));
  ASSERT_TRUE(model.Set(c.merged, {0, 1}, B));
  EXPECT_EQ(model(c.kind, {1}), B) << "no representative is left: not eligible";
}

TEST(Root, DeadEndSaysWhichRequirement) {
  TestSpace test;
  const int items = test.AddRoot("Items", 1);
  const int e = test.AddEnum("e", {Var(items)}, 3);
  test.Require({Var(items)}, {Is(e, {0}, AB)}, "not_c");
  test.Require({Var(items)}, {Is(e, {0}, C)}, "only_c");
  const auto instance = Instance::Freeze(test.space, test.host);
  EXPECT_EQ(instance->root_result(), Propagation::kDeadEnd);
  EXPECT_EQ(OriginText(test.space, instance->root_conflict().origin),
            "requirement only_c (test.exh:2)");
}

TEST(Conflict, NamesTheRequirementThatEmptiedADomain) {
  TestSpace test;
  const int items = test.AddRoot("Items", 2);
  const int e = test.AddEnum("e", {Var(items)}, 3);
  test.Require({Var(items), Var(items)}, {Is(e, {0}, AB), Is(e, {1}, BC)}, "c_excludes_a");
  test.Require({Var(items), Var(items)}, {Is(e, {0}, BC), Is(e, {1}, AC)}, "a_excludes_b");
  Candidate candidate(Instance::Freeze(test.space, test.host));
  const runtime::DecisionId first = candidate.instance().first_decision(e);
  const runtime::Action actions[] = {{first, A}, {first + 1, C}};
  ASSERT_EQ(candidate.Restrict(actions), Propagation::kDeadEnd);
  EXPECT_EQ(candidate.conflict().requirement(), 0);
}

TEST(Freeze, RefusesAHostThatContradictsItself) {
  TestSpace universe;
  const int items = universe.AddRoot("Items", 1);
  universe.AddInteger("n", {Var(items)}, [](TableHost::Tuple) {
    return std::vector<std::uint32_t>{3, 2};
  });
  EXPECT_THROW(Instance::Freeze(universe.space, universe.host), exh::Error);
  TestSpace subset;
  const int root = subset.AddRoot("Items", 3);
  const int middle = subset.AddSubset("Middle", root, {0});
  subset.AddSubset("Inner", middle, {1});
  EXPECT_THROW(Instance::Freeze(subset.space, subset.host), exh::Error);
}

}  // namespace
}  // namespace exh::tests
