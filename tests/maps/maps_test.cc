// SPDX-License-Identifier: MIT
//
// The engine of the published kind on the golden spaces, held to the brute-force oracle: no
// implementation is lost, and every full assignment that it reaches is one. It may run into more
// dead ends than our engine. Flags of quotient sets are left out: this engine elects any member of
// a class, the oracle the smallest.
#include "tests/maps/engine.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "dsl/dsl.h"
#include "spaces/antisymmetric.exh.h"
#include "spaces/antisymmetric.exh.maps.h"
#include "spaces/counter_product.exh.h"
#include "spaces/counter_product.exh.maps.h"
#include "spaces/counter_sum.exh.h"
#include "spaces/counter_sum.exh.maps.h"
#include "spaces/enum_choice.exh.h"
#include "spaces/enum_choice.exh.maps.h"
#include "spaces/half_counter.exh.h"
#include "spaces/half_counter.exh.maps.h"
#include "spaces/integer_choice.exh.h"
#include "spaces/integer_choice.exh.maps.h"
#include "spaces/quotient.exh.h"
#include "spaces/quotient.exh.maps.h"
#include "spaces/subset.exh.h"
#include "spaces/subset.exh.maps.h"
#include "spaces/symmetric.exh.h"
#include "spaces/symmetric.exh.maps.h"
#include "spaces/trigger.exh.h"
#include "spaces/trigger.exh.maps.h"
#include "tests/generator/oracle/toy_world.h"
#include "tests/support/tree.h"

namespace exh::tests {
namespace {

using maps::Bits;
using maps::Engine;
using maps::Object;
using Solution = SpecOracle::Solution;
using Numbers = std::vector<std::uint32_t>;

struct Tally {
  std::size_t solutions = 0, implementations = 0, dead_ends = 0;
};

class MapsDriver {
 public:
  MapsDriver(const dsl::Spec& spec, const SpecWorld& world, const maps::Model& model,
             const runtime::Host& host, std::uint64_t seed)
      : oracle_(spec, world), model_(model), engine_(model, host), random_(seed) {}

  Tally Run(int descents) {
    for (Solution solution : oracle_.Solve()) solutions_.insert(Masked(std::move(solution)));
    tally_.solutions = solutions_.size();
    if (!engine_.root_is_alive()) {
      EXPECT_TRUE(solutions_.empty()) << "the root lost every implementation";
      return tally_;
    }
    const maps::Snapshot root = engine_.Save();
    for (int i = 0; i < descents && !testing::Test::HasFailure(); ++i) {
      engine_.Restore(root);
      Descend();
    }
    return tally_;
  }

 private:
  struct Open {
    std::size_t decision = 0;
    Bits domain = 0;
  };
  bool IsFlag(std::size_t d) const {
    return model_.choices[static_cast<std::size_t>(oracle_.decisions()[d].choice)].is_auxiliary;
  }
  Solution Masked(Solution solution) const {
    for (std::size_t d = 0; d < solution.size(); ++d) {
      if (IsFlag(d)) solution[d] = SpecOracle::kAbsent;
    }
    return solution;
  }
  std::vector<Object> ObjectsOf(std::size_t d) const {
    const auto& objects = oracle_.decisions()[d].objects;
    return {objects.begin(), objects.end()};
  }
  /// Nothing when the objects are not there.
  std::optional<Bits> DomainOf(std::size_t d) const {
    const int choice = oracle_.decisions()[d].choice;
    const std::vector<Object> objects = ObjectsOf(d);
    if (!engine_.HasDecision(choice, objects.data())) return std::nullopt;
    return engine_.Domain(choice, objects.data());
  }
  void CheckNothingIsLost(const std::vector<Solution>& alive) const {
    for (const Solution& solution : alive) {
      for (std::size_t d = 0; d < solution.size(); ++d) {
        if (IsFlag(d)) continue;
        const std::optional<Bits> domain = DomainOf(d);
        if (solution[d] == SpecOracle::kAbsent) {
          ASSERT_FALSE(domain.has_value()) << d;
        } else if (domain) {
          ASSERT_NE(*domain >> solution[d] & 1, 0u) << "decision " << d << " lost a value";
        }
      }
    }
  }
  void Descend() {
    std::vector<Solution> alive(solutions_.begin(), solutions_.end());
    CheckNothingIsLost(alive);
    for (;;) {
      std::vector<Open> open;
      for (std::size_t d = 0; d < oracle_.decisions().size(); ++d) {
        const std::optional<Bits> domain = IsFlag(d) ? std::nullopt : DomainOf(d);
        if (domain && (*domain & (*domain - 1)) != 0) open.push_back({d, *domain});
      }
      if (open.empty()) break;
      const Open& chosen = open[random_() % open.size()];
      Bits values = 0;
      while (values == 0 || values == chosen.domain) values = random_() & chosen.domain;
      std::erase_if(alive, [&](const Solution& solution) {
        return solution[chosen.decision] == SpecOracle::kAbsent ||
               (values >> solution[chosen.decision] & 1) == 0;
      });
      const std::vector<Object> objects = ObjectsOf(chosen.decision);
      if (!engine_.Restrict(oracle_.decisions()[chosen.decision].choice, objects.data(), values)) {
        ++tally_.dead_ends;
        ASSERT_TRUE(alive.empty()) << "a dead end lost " << alive.size() << " implementations";
        return;
      }
      CheckNothingIsLost(alive);
      if (testing::Test::HasFatalFailure()) return;
    }
    ++tally_.implementations;
    Solution values;
    for (std::size_t d = 0; d < oracle_.decisions().size(); ++d) {
      const std::optional<Bits> domain = DomainOf(d);
      const bool open = domain && !std::has_single_bit(*domain);
      ASSERT_FALSE(open) << "an open flag";
      values.push_back(domain ? std::countr_zero(*domain) : SpecOracle::kAbsent);
    }
    ASSERT_TRUE(solutions_.contains(Masked(values))) << "an illegal implementation was accepted";
  }

  SpecOracle oracle_;
  const maps::Model& model_;
  Engine engine_;
  std::mt19937_64 random_;
  std::set<Solution> solutions_;
  Tally tally_;
};

/// Some descents with a few seeds; there are implementations, and they are reached.
Tally Drive(const std::string& feature, const maps::Model& model, const runtime::Host& host,
            const SpecWorld& world) {
  dsl::DiagnosticSink sink;
  dsl::CompileOptions options;
  options.root = kSourceDir;
  const auto spec = dsl::Compile(options.root + "/tests/generator/golden/" + feature + "/space.exh",
                                 options, sink);
  if (!spec) {
    ADD_FAILURE() << dsl::RenderText(sink);
    return {};
  }
  Tally all;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(feature + ", seed " + std::to_string(seed));
    const Tally once = MapsDriver(*spec, world, model, host, seed).Run(40);
    all.solutions = once.solutions;
    all.implementations += once.implementations;
    all.dead_ends += once.dead_ends;
  }
  EXPECT_GT(all.solutions, 1u);
  EXPECT_GT(all.implementations, 20u);
  return all;
}

std::function<Numbers(const Bindings&)> Always(std::uint32_t number) {
  return [number](const Bindings&) { return Numbers{number}; };
}

TEST(Maps, EnumChoice) {
  const toy::Shop shop = SomeTasks(3);
  const spaces::enum_choice::SpaceHost host(shop);
  Drive("enum_choice", spaces::enum_choice::GetMapsModel(), host, WorldOf(shop));
}

TEST(Maps, IntegerChoice) {
  toy::Shop shop = SomeTasks(3);
  shop.limit = 4;
  shop.tasks[1].sizes = {1, 2, 3, 5};
  shop.tasks[2].sizes = {2, 3, 8};
  SpecWorld world = WorldOf(shop);
  world.numbers["$task.sizes"] = [&](const Bindings& b) { return shop.tasks[b.at("task")].sizes; };
  world.numbers["$fun.limit"] = Always(4);
  world.numbers["1"] = Always(1);
  world.tests["$task.priority < 1"] = [](const Bindings& b) { return b.at("task") < 1; };
  world.tests["$a.priority >= $b.priority"] = [](const Bindings& b) {
    return b.at("a") >= b.at("b");
  };
  const spaces::integer_choice::SpaceHost host(shop);
  Drive("integer_choice", spaces::integer_choice::GetMapsModel(), host, world);
}

TEST(Maps, Antisymmetric) {
  toy::Shop shop = SomeTasks(4);
  shop.tasks[2].priority = 1;
  SpecWorld world = WorldOf(shop);
  world.tests["$a.priority <= $b.priority"] = [&](const Bindings& b) {
    return shop.tasks[b.at("a")].priority <= shop.tasks[b.at("b")].priority;
  };
  const spaces::antisymmetric::SpaceHost host(shop);
  Drive("antisymmetric", spaces::antisymmetric::GetMapsModel(), host, world);
}

TEST(Maps, Symmetric) {
  const toy::Shop shop = SomeTasks(4);
  SpecWorld world = WorldOf(shop);
  world.tests["$a.priority == $b.priority"] = [](const Bindings& b) {
    return b.at("a") == b.at("b");
  };
  const spaces::symmetric::SpaceHost host(shop);
  Drive("symmetric", spaces::symmetric::GetMapsModel(), host, world);
}

TEST(Maps, Subset) {
  toy::Shop shop = SomeTasks(3);
  shop.Heat(toy::TaskId{1}, 2);
  const spaces::subset::SpaceHost host(shop);
  const maps::Engine engine(spaces::subset::GetMapsModel(), host);
  ASSERT_TRUE(engine.root_is_alive());
  const Object hot[] = {1};
  EXPECT_EQ(engine.Domain(spaces::subset::choices::mode, hot), 1u);
  EXPECT_EQ(engine.Domain(spaces::subset::choices::alarm, hot), 1u);
}

TEST(Maps, CounterSum) {
  toy::Shop shop = SomeTasks(3);
  shop.tasks[1].sizes = {1, 2};
  SpecWorld world = WorldOf(shop);
  world.numbers["$task.priority"] = [&](const Bindings& b) {
    return Numbers{static_cast<std::uint32_t>(b.at("task"))};
  };
  world.numbers["$other.sizes.size()"] = [&](const Bindings& b) {
    return Numbers{static_cast<std::uint32_t>(shop.tasks[b.at("other")].sizes.size())};
  };
  world.numbers["3 + $fun.limit"] = Always(3 + shop.limit);
  world.numbers["15"] = Always(15);
  world.numbers["1"] = Always(1);
  const spaces::counter_sum::SpaceHost host(shop);
  Drive("counter_sum", spaces::counter_sum::GetMapsModel(), host, world);
}

TEST(Maps, CounterProduct) {
  toy::Shop shop = SomeTasks(3);
  shop.tasks[1].sizes = {1, 3, 5};
  SpecWorld world = WorldOf(shop);
  world.numbers["$task.sizes"] = [&](const Bindings& b) { return shop.tasks[b.at("task")].sizes; };
  for (const std::uint32_t number : {1, 2, 4, 8}) {
    world.numbers[std::to_string(number)] = Always(number);
  }
  const spaces::counter_product::SpaceHost host(shop);
  Drive("counter_product", spaces::counter_product::GetMapsModel(), host, world);
}

TEST(Maps, HalfCounter) {
  const toy::Shop shop = SomeTasks(4);
  SpecWorld world = WorldOf(shop);
  world.numbers["1"] = Always(1);
  world.numbers["2"] = Always(2);
  const spaces::half_counter::SpaceHost host(shop);
  Drive("half_counter", spaces::half_counter::GetMapsModel(), host, world);
}

TEST(Maps, Quotient) {
  toy::Shop shop = SomeTasks(3);
  shop.tasks[2].priority = -1;  // Not eligible.
  SpecWorld world = WorldOf(shop);
  world.tests["$task.priority >= 0"] = [](const Bindings& b) { return b.at("task") != 2; };
  world.numbers["1"] = Always(1);
  world.numbers["$fun.limit"] = Always(shop.limit);
  const spaces::quotient::SpaceHost host(shop);
  Drive("quotient", spaces::quotient::GetMapsModel(), host, world);
}

TEST(Maps, QuotientWithATightLimit) {
  toy::Shop shop = SomeTasks(4);
  SpecWorld world = WorldOf(shop);
  world.tests["$task.priority >= 0"] = [](const Bindings&) { return true; };
  world.numbers["1"] = Always(1);
  world.numbers["$fun.limit"] = Always(shop.limit);
  const spaces::quotient::SpaceHost host(shop);
  Drive("quotient", spaces::quotient::GetMapsModel(), host, world);
}

TEST(Maps, Trigger) {
  toy::Shop shop = SomeTasks(2);
  const toy::TaskId part_a = shop.AddTask("part_a", 9), part_b = shop.AddTask("part_b", 9);
  shop.tasks[part_a.value].planned = shop.tasks[part_b.value].planned = true;
  const toy::JobId job = shop.AddJob({toy::TaskId{0}, toy::TaskId{1}, part_a});
  shop.splits[0] = {{part_a}, {}, {}, {{job, part_a}}};
  shop.splits[1] = {{part_a, part_b}, {}, {}, {{job, part_a}}};
  SpecWorld world = WorldOf(shop);
  world.tests["!$task.planned"] = [](const Bindings& b) { return b.at("task") < 2; };
  world.plans["split"] = [](const Bindings& b) -> std::map<std::string, std::vector<SpecMember>> {
    switch (b.at("task")) {
      case 0:
        return {{"Tasks", {{-1, 2}}}, {"JobTasks", {{0, 2}}}};
      case 1:
        return {{"Tasks", {{-1, 2}, {-1, 3}}}, {"JobTasks", {{0, 2}}}};
      default:
        return {};
    }
  };
  const spaces::trigger::SpaceHost host(shop);
  EXPECT_EQ(Drive("trigger", spaces::trigger::GetMapsModel(), host, world).solutions, 3u);
}

}  // namespace
}  // namespace exh::tests
