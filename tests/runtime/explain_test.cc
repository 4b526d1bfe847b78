// SPDX-License-Identifier: MIT
//
// Explanations of dead ends: every one that random descents meet has one; its decisions are a dead
// end by themselves and none can be left out; what a person reads is in golden/.
// EXH_UPDATE_GOLDENS=1 writes the golden files anew.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "runtime/candidate.h"
#include "runtime/explain.h"
#include "runtime/ground.h"
#include "runtime/internal/explain/tracer.h"
#include "tests/support/order_space.h"
#include "tests/support/random_space.h"
#include "tests/support/tree.h"

namespace exh::tests {
namespace {

using runtime::Action;
using runtime::Bits;
using runtime::Candidate;
using runtime::DecisionId;
using runtime::Explanation;
using runtime::Instance;
using runtime::Propagation;

/// Random decisions until there is nothing open; the last one is a dead end when true comes back.
bool Descend(const std::shared_ptr<const Instance>& instance, std::mt19937_64& random,
             std::vector<Action>* actions) {
  Candidate candidate(instance);
  for (;;) {
    std::vector<DecisionId> open;
    for (DecisionId d = 0; d < instance->num_decisions(); ++d) {
      if (candidate.IsOpen(d)) open.push_back(d);
    }
    if (open.empty()) return false;
    const DecisionId decision = open[random() % open.size()];
    Bits rest = candidate.domain(decision);
    for (auto skip = random() % static_cast<unsigned>(std::popcount(rest)); skip > 0; --skip) {
      rest &= rest - 1;
    }
    actions->push_back({decision, rest & (~rest + 1)});
    if (candidate.Restrict(decision, actions->back().values) == Propagation::kDeadEnd) return true;
  }
}

bool IsDeadEnd(const std::shared_ptr<const Instance>& instance,
               const std::vector<Action>& actions) {
  Candidate candidate(instance);
  return candidate.Restrict(actions) == Propagation::kDeadEnd;
}

void CheckExplanation(const std::shared_ptr<const Instance>& instance,
                      const std::vector<Action>& actions) {
  const auto explanation = ExplainDeadEnd(instance, actions);
  ASSERT_TRUE(explanation.has_value());
  ASSERT_FALSE(explanation->decisions.empty());
  EXPECT_TRUE(IsDeadEnd(instance, explanation->decisions)) << "decisions are missing";
  for (std::size_t i = 0; i < explanation->decisions.size(); ++i) {
    std::vector<Action> without = explanation->decisions;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(IsDeadEnd(instance, without)) << "a decision too many";
  }
  // Every step but the decisions names what it follows from, and the last one leaves nothing.
  ASSERT_FALSE(explanation->steps.empty());
  EXPECT_EQ(explanation->steps.back().after, "");
  for (const runtime::ExplanationStep& step : explanation->steps) {
    EXPECT_TRUE(step.is_decision || !step.by.empty()) << step.subject;
    EXPECT_TRUE(step.is_decision || !step.because.empty() || !step.subject.empty());
  }
}

TEST(Explain, EveryDeadEndOfRandomSpaces) {
  std::mt19937_64 random(7);
  int dead_ends = 0;
  for (std::uint64_t seed = 1; seed <= 2000 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("random space, seed " + std::to_string(seed));
    const TestSpace test = RandomSpace(seed);
    const auto instance = Instance::Freeze(test.space, test.host);
    if (instance->root_result() == Propagation::kDeadEnd) continue;
    for (int descent = 0; descent < 4; ++descent) {
      std::vector<Action> actions;
      if (!Descend(instance, random, &actions)) {
        EXPECT_FALSE(ExplainDeadEnd(instance, actions).has_value());
        continue;
      }
      ++dead_ends;
      CheckExplanation(instance, actions);
    }
  }
  std::printf("%d dead ends explained\n", dead_ends);
  EXPECT_GT(dead_ends, 50);
}

/// The plain filters deduce at least what the engine deduces, also where there is no dead end.
TEST(Explain, PlainFiltersAreAsStrongAsTheEngine) {
  std::mt19937_64 random(11);
  for (std::uint64_t seed = 1; seed <= 1000 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("random space, seed " + std::to_string(seed));
    const TestSpace test = RandomSpace(seed);
    const auto instance = Instance::Freeze(test.space, test.host);
    if (instance->root_result() == Propagation::kDeadEnd) continue;
    const runtime::GroundForm form = MakeGroundForm(*instance);
    for (int descent = 0; descent < 3; ++descent) {
      std::vector<Action> actions;
      const bool dead = Descend(instance, random, &actions);
      runtime::internal::Tracer tracer(*instance, form);
      const bool traced = tracer.Apply(actions);
      EXPECT_TRUE(!dead || traced);
    }
  }
}

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = std::string(kSourceDir) + "/tests/runtime/golden/" + name;
  if (std::getenv("EXH_UPDATE_GOLDENS") != nullptr) std::ofstream(path) << text;
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, golden.str()) << path;
}

std::vector<Action> Parse(const Instance& instance, const std::vector<std::string>& texts) {
  std::vector<Action> actions;
  for (const std::string& text : texts) {
    std::string error;
    const auto action = ParseAction(instance, text, &error);
    EXPECT_TRUE(action.has_value()) << error;
    if (action) actions.push_back(*action);
  }
  return actions;
}

TEST(Explain, GoldenOrder) {
  TestSpace test = OrderSpace(1, 5);
  for (std::size_t r = 0; r < test.space.requirements.size(); ++r) {
    test.space.requirements[r].position = {"order.exh", static_cast<int>(10 * (r + 1))};
  }
  const auto instance = Instance::Freeze(test.space, test.host);
  const std::string s =
      instance->object_name(0, 0).substr(0, instance->object_name(0, 0).size() - 1);
  const auto order = [&](int a, int b, const char* value) {
    return "order(" + s + std::to_string(a) + "," + s + std::to_string(b) + ")=" + value;
  };
  // 4 and 5 have nothing to do with it.
  const std::vector<Action> actions =
      Parse(*instance, {order(4, 5, "MERGED"), order(1, 2, "BEFORE"), order(2, 3, "OUTER|MERGED"),
                        order(1, 4, "AFTER"), order(1, 3, "INNER")});
  const auto explanation = ExplainDeadEnd(instance, actions);
  ASSERT_TRUE(explanation.has_value());
  ExpectGolden("explain_order.txt", ExplanationText(*instance, *explanation));
}

TEST(Explain, GoldenCounter) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int kind = test.AddEnum("kind", {Var(items)}, 2);
  test.space.choices[kind].values = {"LOOP", "THREAD"};
  const int size = test.AddInteger("size", {Var(items)}, [](TableHost::Tuple) {
    return std::vector<std::uint32_t>{2, 8, 32};
  });
  runtime::Choice& threads = test.AddCounter("threads", {}, true, runtime::Visibility::kHalf);
  threads.position = {"limits.exh", 4};
  threads.over = {Var(items)};
  threads.weight = {size, {0}};
  threads.when = {Is(kind, {0}, 2)};
  const int counter = test.choice("threads");
  test.Require({}, {test.ComparesCode(counter, {}, runtime::CompareOp::kLe, {64})}, "threads_fit");
  test.Require({Var(items), Var(items)}, {Compares(kind, {0}, runtime::CompareOp::kEq, {1})},
               "kinds_agree");
  test.space.requirements[0].position = {"limits.exh", 7};
  test.space.requirements[1].position = {"dims.exh", 12};
  const auto instance = Instance::Freeze(test.space, test.host);
  const std::string i = instance->object_name(items, 0);
  const std::string item = i.substr(0, i.size() - 1);
  const std::vector<Action> actions = Parse(
      *instance, {"size(" + item + "0)=32", "size(" + item + "1)=8", "kind(" + item + "2)=THREAD"});
  const auto explanation = ExplainDeadEnd(instance, actions);
  ASSERT_TRUE(explanation.has_value());
  ExpectGolden("explain_counter.txt", ExplanationText(*instance, *explanation));
}

}  // namespace
}  // namespace exh::tests
