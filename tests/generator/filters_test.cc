// SPDX-License-Identifier: MIT
//
// Which filters a clause becomes, without text.
#include "generator/plan/filters.h"

#include <gtest/gtest.h>

#include "dsl/dsl.h"
#include "generator/plan/plan.h"

namespace exh::generator {
namespace {

constexpr char kSets[] = R"exh(
set Tasks:
  item_type = "T" id_type = "I" item_getter = "$fun.get($id)" id_getter = "$item.id"
  iterator = "$fun.all" new_objs = "$objs.all"
end
define enum pair($l in Tasks, $r in Tasks):
  value A: value B: value C:
  antisymmetric: A -> B
end
define enum mode($t in Tasks): value X: value Y: end
)exh";

std::optional<dsl::Spec> SpecOf(const std::string& requirements) {
  dsl::DiagnosticSink sink;
  auto spec = dsl::CompileText("test.exh", kSets + requirements, {}, sink);
  EXPECT_TRUE(spec.has_value()) << dsl::RenderText(sink);
  return spec;
}

std::vector<std::string> FunctionsOf(const RequirementFilters& filters) {
  std::vector<std::string> names;
  for (const Filter& filter : filters.filters) names.push_back(filter.function);
  return names;
}

TEST(Filters, OnePerDecisionOfTheClause) {
  const auto spec = SpecOf(
      "require r: forall $a in Tasks: forall $b in Tasks:\n"
      "  mode($a) is X || pair($a, $b) is A || mode($b) is X || \"$a.odd()\"\n");
  const auto filters = PlanFilters(*spec);
  ASSERT_EQ(filters.size(), 1u);
  EXPECT_EQ(FunctionsOf(filters[0]),
            (std::vector<std::string>{"FilterModeA", "FilterPair", "FilterModeB"}));
  EXPECT_EQ(filters[0].filters[0].inputs.size(), 2u);
  EXPECT_EQ(filters[0].filters[0].atoms.back().code, "holds");
}

TEST(Filters, BothOrdersOfAPairAreOneDecision) {
  const auto spec = SpecOf(
      "require r: forall $a in Tasks: forall $b in Tasks:\n"
      "  pair($a, $b) is A || pair($b, $a) is A\n");
  const auto filters = PlanFilters(*spec);
  ASSERT_EQ(FunctionsOf(filters[0]), std::vector<std::string>{"FilterPair"});
  const Filter& filter = filters[0].filters[0];
  EXPECT_TRUE(filter.inputs.empty());
  EXPECT_EQ(filter.atoms[0].values, 1u);
  EXPECT_EQ(filter.atoms[1].values, 2u);  // A seen from the other side is B.
}

TEST(Filters, APairComparedWithItselfIsATestOfItsValue) {
  const auto spec = SpecOf(
      "require same: forall $a in Tasks: forall $b in Tasks: pair($a, $b) == pair($b, $a)\n"
      "require other: forall $a in Tasks: forall $b in Tasks: pair($a, $b) != pair($b, $a)\n");
  const auto filters = PlanFilters(*spec);
  EXPECT_EQ(filters[0].filters[0].atoms[0].values, 4u);
  EXPECT_EQ(filters[1].filters[0].atoms[0].values, 3u);
}

TEST(Filters, SeveralClausesNumberTheirFilters) {
  const auto spec = SpecOf(
      "require r: forall $a in Tasks:\n  mode($a) is X || \"$a.odd()\"\n"
      "  mode($a) is Y || \"$a.even()\"\n");
  EXPECT_EQ(FunctionsOf(PlanFilters(*spec)[0]),
            (std::vector<std::string>{"FilterModeA", "FilterModeA_2"}));
}

TEST(Plan, TheSameSnippetOverTheSameVariablesIsOne) {
  const auto spec = SpecOf(
      "require r: forall $a in Tasks: mode($a) is X || \"$a.odd()\"\n"
      "require s: forall $a in Tasks: mode($a) is Y || \"$a.odd()\"\n"
      "require t: forall $b in Tasks: mode($b) is Y || \"$b.odd()\"\n");
  Options options;
  options.space = "test";
  EXPECT_EQ(MakePlan(*spec, options).codes.size(), 2u);
}

TEST(Plan, ChoicesWhoseTypesClashWithOursGetNumbers) {
  const auto spec = SpecOf("define enum view($t in Tasks): value P: value NULL: end\n");
  const SpacePlan plan = MakePlan(*spec, {});
  EXPECT_EQ(plan.choices[2].camel, "View_2");
  EXPECT_EQ(plan.choices[2].values[1], "NULL_");
}

TEST(Generate, ASpaceWithoutHostIsRefusedWithAPosition) {
  const auto spec = SpecOf("");
  const Generated generated = Generate(*spec, {});
  EXPECT_TRUE(generated.files.empty());
  ASSERT_EQ(generated.refusals.size(), 1u);
  EXPECT_NE(generated.refusals[0].message.find("host \"c++\""), std::string::npos);
}

}  // namespace
}  // namespace exh::generator
