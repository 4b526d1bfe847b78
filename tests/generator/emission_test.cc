// SPDX-License-Identifier: MIT
//
// Which files are asked for, and what the checked space says as JSON.
#include "generator/emission.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "dsl/dsl.h"
#include "generator/emit/emit_ir.h"
#include "generator/generator.h"

namespace exh::generator {
namespace {

constexpr char kText[] = R"exh(
/// What there is.
set Tasks:
  item_type = "T" id_type = "I" item_getter = "$fun.get($id)" id_getter = "$item.id"
  iterator = "$fun.all" new_objs = "$objs.all"
end
define enum pair($l in Tasks, $r in Tasks): antisymmetric: A -> B value A: value B: alias X = A: end
choice integer size($t in Tasks): "$t.sizes, $fun, $t" end
choice half counter load($t in Tasks):
  base "3u" forall $o in Tasks: mul size($o) when: pair($t, $o) is A
end
/// Said twice.
require twice: forall $a, $b in Tasks:
  pair($b, $a) is not A || size($a) <= size($b)
  "$a.ok()" || size($a) != "4" || load($a) < "7"
)exh";

dsl::Spec SpecOf(const std::string& text) {
  dsl::DiagnosticSink sink;
  auto spec = dsl::CompileText("test.exh", text, {}, sink);
  EXPECT_TRUE(spec.has_value()) << dsl::RenderText(sink);
  return std::move(*spec);
}

nlohmann::json IrOf(const std::string& text) {
  return nlohmann::json::parse(IrText(SpecOf(text), "test"));
}

TEST(Emission, IsAListOfWords) {
  Emission emission;
  std::string unknown;
  EXPECT_TRUE(ParseEmission("ir", &emission, &unknown));
  EXPECT_EQ(emission, (Emission{false, false, true, false}));
  EXPECT_TRUE(ParseEmission("tables,cpp,tables", &emission, &unknown));
  EXPECT_EQ(emission, (Emission{true, false, false, true}));
  EXPECT_FALSE(ParseEmission("cpp,,ir", &emission, &unknown));
  EXPECT_EQ(unknown, "");
  EXPECT_FALSE(ParseEmission("cpp, ir", &emission, &unknown));
  EXPECT_EQ(unknown, " ir");
  EXPECT_EQ(emission, (Emission{true, false, false, true}));  // As it was.
}

TEST(Emission, OnlyCppNeedsAHost) {
  const dsl::Spec spec = SpecOf(kText);
  Options options;
  options.emit = {false, false, true, true};
  const Generated generated = Generate(spec, options);
  ASSERT_EQ(generated.files.size(), 2u);
  EXPECT_EQ(generated.files[0].suffix, ".ir.json");
  EXPECT_EQ(generated.files[1].suffix, ".tables.txt");
  options.emit.filters = true;
  EXPECT_TRUE(Generate(spec, options).files.empty());
}

TEST(Ir, HasAVersionAndNoHostWhereThereIsNone) {
  const nlohmann::json ir = IrOf("");
  EXPECT_EQ(ir["format"], "exhaust-ir");
  EXPECT_EQ(ir["version"], kIrVersion);
  EXPECT_EQ(ir["space"], "test");
  EXPECT_FALSE(ir.contains("host"));
  EXPECT_EQ(ir["sets"], nlohmann::json::array());
}

TEST(Ir, RequirementsAreClausesWithPlaces) {
  const nlohmann::json requirement = IrOf(kText)["requirements"][0];
  EXPECT_EQ(requirement["label"], "twice");
  EXPECT_EQ(requirement["doc"], "Said twice.");
  EXPECT_EQ(requirement["variables"][1]["name"], "b");
  EXPECT_EQ(requirement["variables"][1]["in"]["set"], "Tasks");
  const nlohmann::json& clauses = requirement["clauses"];
  ASSERT_EQ(clauses.size(), 2u);
  EXPECT_EQ(clauses[0][0]["kind"], "is");
  EXPECT_EQ(clauses[0][0]["lhs"]["choice"], "pair");
  EXPECT_EQ(clauses[0][0]["lhs"]["arguments"], (nlohmann::json{"b", "a"}));
  EXPECT_EQ(clauses[0][0]["values"], nlohmann::json::array({"B"}));
  EXPECT_EQ(clauses[0][0]["place"]["line"], 14);
  EXPECT_EQ(clauses[0][0]["place"]["column"], 3);
  EXPECT_EQ(clauses[0][1]["kind"], "compare");
  EXPECT_EQ(clauses[0][1]["op"], "<=");
  EXPECT_EQ(clauses[0][1]["rhs"]["arguments"], nlohmann::json::array({"b"}));
  EXPECT_EQ(clauses[1][0]["kind"], "code");
  EXPECT_EQ(clauses[1][0]["code"]["text"], "$a.ok()");
  EXPECT_EQ(clauses[1][1]["kind"], "compare_code");
  EXPECT_EQ(clauses[1][1]["op"], "!=");
  EXPECT_EQ(clauses[1][2]["text"], "load($a) < \"7\"");
}

TEST(Ir, ChoicesSayWhatTheirKindHas) {
  const nlohmann::json ir = IrOf(kText);
  const nlohmann::json& choices = ir["choices"];
  ASSERT_EQ(choices.size(), 3u);
  EXPECT_EQ(choices[0]["kind"], "enum");
  EXPECT_EQ(choices[0]["symmetry"], "antisymmetric");
  EXPECT_EQ(choices[0]["inverse"], (nlohmann::json{"B", "A"}));
  EXPECT_EQ(choices[0]["aliases"][0]["values"], nlohmann::json::array({"A"}));
  EXPECT_EQ(choices[1]["kind"], "integer");
  EXPECT_EQ(choices[1]["universe"]["variables"], (nlohmann::json{"t", "fun"}));
  EXPECT_EQ(choices[2]["visibility"], "half");
  EXPECT_EQ(choices[2]["operation"], "mul");
  EXPECT_EQ(choices[2]["over"][0]["name"], "o");
  EXPECT_EQ(choices[2]["weight"]["choice"], "size");
  EXPECT_EQ(choices[2]["when"][0]["lhs"]["arguments"], (nlohmann::json{"t", "o"}));
  EXPECT_EQ(ir["sets"][0]["doc"], "What there is.");
  EXPECT_EQ(ir["sets"][0]["keys"]["item_type"]["text"], "T");
}

}  // namespace
}  // namespace exh::generator
