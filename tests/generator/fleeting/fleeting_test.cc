// SPDX-License-Identifier: MIT
//
// Random plans whose answers are gone at the end of the expression that asks, against the oracle: a
// snippet's value is read while it lives, wherever the snippet stands.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "dsl/dsl.h"
#include "spaces/fleeting.exh.h"
#include "tests/support/tree.h"
#include "tests/support_spec/drive_spec.h"

namespace exh::tests {
namespace {

using Numbers = std::vector<std::uint32_t>;

struct RandomPlan {
  fleeting::Plan plan;
  int num_fixed = 0;
};

RandomPlan MakePlan(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::uint32_t end) {
    return static_cast<std::uint32_t>(random() % end);
  };
  RandomPlan made;
  made.num_fixed = 2 + static_cast<int>(below(2));
  const int num_items = made.num_fixed + 1 + static_cast<int>(below(2));
  for (int i = 0; i < num_items; ++i) {
    fleeting::Plan::Item item;
    item.weight = below(5);
    item.big = below(2) == 0;
    for (std::uint32_t size = 1; size <= 8; size *= 2) {
      if (below(4) > 0) item.sizes.push_back(size);
    }
    if (item.sizes.empty()) item.sizes.push_back(2);
    for (int part = made.num_fixed; i < made.num_fixed && part < num_items; ++part) {
      if (below(2) == 0) item.parts.push_back(static_cast<std::uint16_t>(part));
    }
    made.plan.all.push_back(std::move(item));
  }
  made.plan.limits = {2u << below(3), below(3), 4u << below(2), 4 + below(8)};
  return made;
}

/// The same plan for the oracle, without the snippets.
SpecWorld WorldOf(const RandomPlan& made) {
  const fleeting::Plan& plan = made.plan;
  SpecWorld world;
  const auto always = [](std::uint32_t number) {
    return [number](const Bindings&) { return Numbers{number}; };
  };
  for (std::size_t i = 0; i < plan.all.size(); ++i) {
    const int item = static_cast<int>(i);
    world.members["Items"].push_back({-1, item});
    if (plan.all[i].big) world.members["Big"].push_back({-1, item});
    for (const std::uint16_t part : plan.all[i].parts) {
      world.members["Parts"].push_back({item, part});
    }
  }
  for (const char* set : {"Items", "Big", "Parts"}) world.members[set];
  const auto item = [&plan](const Bindings& bindings, const char* name) -> const auto& {
    return plan.all.at(static_cast<std::size_t>(bindings.at(name)));
  };
  world.numbers["$item.record().sizes()"] = [=](const Bindings& b) {
    return item(b, "item").sizes;
  };
  world.numbers["$whole.record().sizes().back()"] = [=](const Bindings& b) {
    return Numbers{item(b, "whole").sizes.back()};
  };
  world.numbers["$item.record().weight()"] = [=](const Bindings& b) {
    return Numbers{item(b, "item").weight};
  };
  world.numbers["$fun.sheet().limits().front()"] = always(plan.limits[0]);
  for (int i = 1; i < 4; ++i) {
    world.numbers["$fun.sheet().limits().at(" + std::to_string(i) + ")"] =
        always(plan.limits[static_cast<std::size_t>(i)]);
  }
  world.numbers["$fun.sheet().limits()"] = [limits = plan.limits](const Bindings&) {
    return limits;
  };
  world.tests["$item.record().heavy()"] = [=](const Bindings& b) {
    return item(b, "item").weight > 2;
  };
  world.tests["$a.record().weight() <= $b.record().weight()"] = [=](const Bindings& b) {
    return item(b, "a").weight <= item(b, "b").weight;
  };
  world.plans["split"] = [=](const Bindings& b) {
    std::map<std::string, std::vector<SpecMember>> added;
    for (const std::uint16_t part : item(b, "item").parts) {
      added["Items"].push_back({-1, part});
      added["Parts"].push_back({b.at("item"), part});
    }
    return added;
  };
  return world;
}

TEST(Fleeting, EverythingByValueIsWhatTheOracleSays) {
  dsl::DiagnosticSink sink;
  dsl::CompileOptions options;
  options.root = kSourceDir;
  const auto spec = dsl::Compile(std::string(kSourceDir) + "/tests/generator/fleeting/fleeting.exh",
                                 options, sink);
  ASSERT_TRUE(spec) << dsl::RenderText(sink);
  std::size_t solutions = 0, implementations = 0;
  for (std::uint64_t seed = 1; seed <= 25 && !HasFailure(); ++seed) {
    SCOPED_TRACE("plan of seed " + std::to_string(seed));
    const RandomPlan made = MakePlan(seed);
    const SpecWorld world = WorldOf(made);
    const spaces::fleeting::SpaceHost host(made.plan);
    const SpecDriveResult result = DriveGenerated(
        spaces::fleeting::GetSpace(), host, *spec, world, [](const runtime::Candidate&) {}, seed,
        10);
    solutions += result.solutions;
    implementations += result.implementations;
  }
  EXPECT_GT(solutions, 500u);
  EXPECT_GT(implementations, 150u);
}

TEST(Fleeting, AnObjectIsFoundBehindAPointerThatIsGone) {
  const RandomPlan made = MakePlan(7);
  const spaces::fleeting::SpaceHost host(made.plan);
  int found = 0;
  for (std::size_t i = 0; i < made.plan.all.size(); ++i) {
    const auto object = static_cast<runtime::Object>(i);
    const runtime::Object scope[] = {object};
    const auto& parts = made.plan.all[i].parts;
    constexpr runtime::CodeId kDivided = 2;  // The third extern of the file.
    EXPECT_EQ(host.FindObject(kDivided, scope), parts.empty() ? runtime::kNoObject : parts[0]);
    found += parts.empty() ? 0 : 1;
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace exh::tests
