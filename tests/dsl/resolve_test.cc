// SPDX-License-Identifier: MIT
//
// What a file means: the Spec that the generator gets.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "dsl/diagnostics/diagnostic_pages.h"
#include "dsl/dsl.h"
#include "tests/dsl/verify.h"
#include "tests/support/tree.h"

namespace exh::dsl {
namespace {

Spec CompileValid(const std::string& text) {
  DiagnosticSink sink;
  // The sets that the cases below use, in a file of their own so that offsets are those of `text`.
  sink.sources().AddInMemory("sets.exh", R"exh(
set Items:
  item_type = "Item" id_type = "ItemId" item_getter = "$fun.item($id)" id_getter = "$item.id()"
  iterator = "$fun.items()" new_objs = "$objs.items"
end
set Parts subsetof Items:
  item_type = "Part" id_type = "PartId" item_getter = "$fun.part($id)" id_getter = "$item.id()"
  iterator = "$fun.parts()" from_superset = "$item.as_part()" new_objs = "$objs.parts"
end
set Members($of in Parts) subsetof Items:
  item_type = "Item" id_type = "ItemId" item_getter = "$fun.item($id)" id_getter = "$item.id()"
  iterator = "$fun.members($of)" from_superset = "$fun.member($of, $item)" new_objs = "$objs.members"
  reverse forall $x in Items = "$fun.parts_with($x)"
end
)exh");
  auto spec = CompileText("main.exh", text + "\ninclude \"sets.exh\"\n", {}, sink);
  EXPECT_EQ(RenderText(sink), "");
  return spec ? std::move(*spec) : Spec();
}

const Choice& ChoiceNamed(const Spec& spec, const std::string& name) {
  const auto found = std::ranges::find(spec.choices, name, &Choice::name);
  EXPECT_NE(found, spec.choices.end()) << name;
  return *found;
}

SetIndex SetNamed(const Spec& spec, const std::string& name) {
  const auto found = std::ranges::find(spec.sets, name, &Set::name);
  EXPECT_NE(found, spec.sets.end()) << name;
  return static_cast<SetIndex>(found - spec.sets.begin());
}

TEST(Resolve, TheWholeLanguageCompiles) {
  DiagnosticSink sink;
  const std::string root = kSourceDir;
  const auto spec =
      Compile(root + "/tests/dsl/valid/every_construct.exh", CompileOptions{root, {}}, sink);
  ASSERT_TRUE(spec.has_value()) << RenderText(sink);
  EXPECT_EQ(RenderText(sink), "");
  ASSERT_EQ(spec->files.size(), 2U);
  EXPECT_EQ(spec->files[0].path, "tests/dsl/valid/every_construct.exh");
  EXPECT_EQ(spec->files[1].path, "tests/dsl/valid/parts/sets.exh");
  EXPECT_EQ(spec->host->backbone.text, "demo::Program");
  EXPECT_EQ(spec->host->headers.size(), 2U);
  EXPECT_EQ(spec->sets.size(), 9U);
  EXPECT_EQ(spec->quotients.size(), 2U);
  EXPECT_EQ(spec->triggers.size(), 2U);
  EXPECT_EQ(spec->order.size(), 4U);
}

TEST(Resolve, SpacesWithDataCompile) {
  DiagnosticSink sink;
  const std::string root = kSourceDir;
  CompileOptions options;
  options.root = root;
  options.lints = true;
  const auto spec = Compile(root + "/tests/dsl/valid/data.exh", options, sink);
  ASSERT_TRUE(spec.has_value()) << RenderText(sink);
  EXPECT_EQ(RenderText(sink), "");
  EXPECT_FALSE(spec->host);
  const auto set = [&](const char* name) {
    return *std::ranges::find(spec->sets, name, &Set::name);
  };
  EXPECT_TRUE(set("Rows").numbers.has_value());
  EXPECT_TRUE(set("Tasks").given && set("Parts").given);
  EXPECT_EQ(set("After").depth, 1);
  const auto external = [&](const char* name) {
    return *std::ranges::find(spec->externals, name, &External::name);
  };
  EXPECT_EQ(external("least").number, -4);
  EXPECT_EQ(external("least").code.text, "-4");
  EXPECT_EQ(external("gap").code.text, "$fun.gap($a, $b)");
  EXPECT_FALSE(external("gap").has_code);
  const auto choice = [&](const char* name) {
    return *std::ranges::find(spec->choices, name, &Choice::name);
  };
  EXPECT_EQ(choice("start").spans.size(), 2U);
  EXPECT_EQ(choice("fixed").universe.text,
            "::exh::runtime::UniverseOf({{static_cast<std::int64_t>(8)}})");
  EXPECT_EQ(choice("total").base_term.size(), 1U);
  EXPECT_TRUE(spec->objective->maximize);
  EXPECT_EQ(spec->objective->text, "total() - fixed() * 2");
  EXPECT_EQ(spec->lower_bound->unit_ns, 1e6);
}

TEST(Resolve, TheOrderOfChoicesIsThatOfDecide) {
  const std::string choices = R"exh(
define enum kind($i in Items): value A: value B: end
define integer size($i in Items): "$i.sizes()" end
define enum near($a in Items, $b in Items): symmetric value YES: value NO: end)exh";
  // Anywhere, as everything else.
  const Spec spec = CompileValid("decide near, kind" + choices);
  ASSERT_EQ(spec.order.size(), 2U);
  EXPECT_EQ(spec.choices[static_cast<std::size_t>(spec.order[0])].name, "near");
  EXPECT_EQ(spec.choices[static_cast<std::size_t>(spec.order[1])].name, "kind");
  EXPECT_EQ(CompileValid(choices).order, std::vector<ChoiceIndex>());
}

TEST(Resolve, SetsComeAfterWhatTheyNeedWhateverTheirOrder) {
  const Spec spec = CompileValid(R"exh(
set Deep($m in Parts) subsetof Members($m):
  item_type = "Item" id_type = "ItemId" item_getter = "$fun.item($id)" id_getter = "$item.id()"
  iterator = "$fun.deep($m)" from_superset = "$fun.deep($m, $item)" new_objs = "$objs.deep"
end)exh");
  const SetIndex items = SetNamed(spec, "Items");
  const SetIndex parts = SetNamed(spec, "Parts");
  const SetIndex members = SetNamed(spec, "Members");
  const SetIndex deep = SetNamed(spec, "Deep");
  EXPECT_LT(items, parts);
  EXPECT_LT(parts, members);
  EXPECT_LT(members, deep);
  const Set& set = spec.sets[static_cast<std::size_t>(deep)];
  EXPECT_EQ(set.superset, (SetRef{members, 0}));
  EXPECT_EQ(set.root, items);
  EXPECT_EQ(set.depth, 2);
  EXPECT_EQ(spec.sets[static_cast<std::size_t>(members)].superset, (SetRef{items, -1}));
  EXPECT_EQ(spec.sets[static_cast<std::size_t>(items)].root, items);
}

TEST(Resolve, ASubsetHasWhatItDoesNotSayFromItsSuperset) {
  const Spec spec = CompileValid(R"exh(
set Deep($p in Parts) subsetof Members($p):
  iterator = "$fun.deep($p)" from_superset = "$fun.deep($p, $item)"
end
quotient Reps of $i in Items: leads = / near is YES end
define enum near($a in Items, $b in Items): symmetric value YES: value NO: end)exh");
  const auto key = [&](const char* set, SetKey k) {
    return spec.sets[static_cast<std::size_t>(SetNamed(spec, set))]
        .keys[static_cast<std::size_t>(k)];
  };
  EXPECT_EQ(key("Deep", SetKey::kItemType)->text, "Item");
  EXPECT_EQ(key("Deep", SetKey::kIdGetter)->text, "$item.id()");
  EXPECT_EQ(key("Deep", SetKey::kIterator)->text, "$fun.deep($p)");
  EXPECT_FALSE(key("Deep", SetKey::kNewObjs).has_value());
  EXPECT_FALSE(key("Deep", SetKey::kReverse).has_value());
  EXPECT_EQ(key("Reps", SetKey::kIdType)->text, "ItemId");
}

TEST(Resolve, KeysKnowTheParameterAndTheWordsOfTheLanguage) {
  const Spec spec = CompileValid("");
  const Set& members = spec.sets[static_cast<std::size_t>(SetNamed(spec, "Members"))];
  const auto& from = *members.keys[static_cast<std::size_t>(SetKey::kFromSuperset)];
  ASSERT_EQ(from.variables.size(), 3U);
  EXPECT_EQ(from.variables[0].name, "fun");
  EXPECT_EQ(from.variables[0].variable, -1);
  EXPECT_EQ(from.variables[1].name, "of");
  EXPECT_EQ(from.variables[1].variable, 0);
  EXPECT_EQ(from.variables[2].variable, -1);
  EXPECT_EQ(members.reverse_variable->name, "x");
  EXPECT_EQ(members.keys[static_cast<std::size_t>(SetKey::kReverse)]->variables[1].variable, 0);
}

TEST(Resolve, ValuesAreMasksAndAliasesAreExpanded) {
  const Spec spec = CompileValid(R"exh(
define enum f($i in Items):
  alias BC = B | C:
  alias ABC = BC | A:
  value A: value B: value C: value D:
end
require forall $i in Items: f($i) is BC || f($i) is not ABC || f($i) is not D)exh");
  const Choice& f = ChoiceNamed(spec, "f");
  ASSERT_EQ(f.values.size(), 4U);
  EXPECT_EQ(f.aliases[0].values, 0b0110U);
  EXPECT_EQ(f.aliases[1].values, 0b0111U);
  const auto& clause = spec.requirements[0].clauses[0];
  EXPECT_EQ(clause[0].values, 0b0110U);
  EXPECT_EQ(clause[1].values, 0b1000U);
  EXPECT_EQ(clause[2].values, 0b0111U);
}

TEST(Resolve, AntisymmetricPairsAreInvolutions) {
  const Spec spec = CompileValid(R"exh(
define enum order($a in Items, $b in Items):
  antisymmetric: BEFORE -> AFTER INNER -> OUTER
  value BEFORE: value MERGED: value AFTER: value INNER: value OUTER:
end
define enum near($a in Items, $b in Items): symmetric value YES: value NO: end)exh");
  const Choice& order = ChoiceNamed(spec, "order");
  EXPECT_EQ(order.symmetry, Symmetry::kAntisymmetric);
  EXPECT_EQ(order.inverse, (std::vector<int>{2, 1, 0, 4, 3}));
  EXPECT_EQ(ChoiceNamed(spec, "near").inverse, (std::vector<int>{0, 1}));
  EXPECT_EQ(ChoiceNamed(spec, "near").symmetry, Symmetry::kSymmetric);
}

TEST(Resolve, RequiresBecomesARequirementWithAnExtraDisjunct) {
  const Spec spec = CompileValid(R"exh(
define enum f($i in Items):
  value A:
    requires forall $j in Items: f($j) is B || "$j.ok($i)"
             size($i) < "4"
  value B:
  value C:
  alias AB = A | B:
    requires "$i.ok()"
end
define integer size($i in Items): "$i.sizes()" end)exh");
  ASSERT_EQ(spec.requirements.size(), 2U);
  const Requirement& first = spec.requirements[0];
  EXPECT_EQ(first.label, "f_1");
  EXPECT_EQ(first.text,
            "A requires forall $j in Items: f($j) is B || \"$j.ok($i)\"  size($i) < \"4\"");
  ASSERT_EQ(first.variables.size(), 2U);
  EXPECT_EQ(first.variables[0].name, "i");
  ASSERT_EQ(first.clauses.size(), 2U);
  ASSERT_EQ(first.clauses[0].size(), 3U);
  EXPECT_EQ(first.clauses[0][0].lhs.arguments, std::vector<int>{1});
  EXPECT_EQ(first.clauses[0][1].code.variables[1].variable, 0);
  EXPECT_EQ(first.clauses[0][2].kind, Condition::Kind::kIs);
  EXPECT_EQ(first.clauses[0][2].lhs.arguments, std::vector<int>{0});
  EXPECT_EQ(first.clauses[0][2].values, 0b110U);
  EXPECT_EQ(first.clauses[1].back().values, 0b110U);
  EXPECT_EQ(spec.requirements[1].label, "f_2");
  EXPECT_EQ(spec.requirements[1].clauses[0].back().values, 0b100U);
}

TEST(Resolve, RequiresOfASymmetricChoiceMeetsBothOrders) {
  // Variables range over ordered pairs, so one requirement holds for (x, y) and for (y, x).
  const Spec spec = CompileValid(R"exh(
define enum order($a in Items, $b in Items):
  antisymmetric: BEFORE -> AFTER
  value BEFORE:
    requires "$a.first($b)"
  value AFTER:
end)exh");
  ASSERT_EQ(spec.requirements.size(), 1U);
  ASSERT_EQ(spec.requirements[0].variables.size(), 2U);
  EXPECT_EQ(spec.requirements[0].variables[0].set, spec.requirements[0].variables[1].set);
  EXPECT_EQ(spec.requirements[0].clauses[0][1].lhs.arguments, (std::vector<int>{0, 1}));
}

TEST(Resolve, LabelsAreGivenPerChoiceAndNeverTwice) {
  const Spec spec = CompileValid(R"exh(
define enum f($i in Items): value A: value B: end
define enum g($i in Items): value A: value B: end
require forall $i in Items: f($i) is A || g($i) is A
require f_2: forall $i in Items: f($i) is A
require forall $i in Items: "$i" || g($i) is A
require forall $i in Items: f($i) is B
require "$fun"
/// Why.
require named: forall $i in Items: g($i) is B
trigger forall $i in Items: "go" when f($i) is A
trigger go: forall $i in Items: "go" when f($i) is A)exh");
  std::vector<std::string> labels;
  for (const Requirement& r : spec.requirements) labels.push_back(r.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"f_1", "f_2", "g_1", "f_3", "require_1", "named"}));
  EXPECT_EQ(spec.requirements[5].doc, "Why.");
  EXPECT_EQ(spec.triggers[0].label, "trigger_1");
  EXPECT_EQ(spec.triggers[1].label, "go");
}

TEST(Resolve, CountersComeAfterWhatTheyRead) {
  const Spec spec = CompileValid(R"exh(
define counter outer(): base "2" forall $p in Parts: sum inner($p) when: last() < "3" end
define counter inner($p in Parts): forall $m in Members($p): mul size($m) when: f($m) is A end
define counter last(): sum "1" when: end
define enum f($i in Items): value A: value B: end
define integer size($i in Items): "$i.sizes()" end)exh");
  const auto at = [&](const std::string& name) { return &ChoiceNamed(spec, name); };
  EXPECT_LT(at("inner"), at("outer"));
  EXPECT_LT(at("last"), at("outer"));
  EXPECT_LT(at("size"), at("inner"));
  EXPECT_LT(at("f"), at("inner"));
  const Choice& inner = *at("inner");
  EXPECT_TRUE(inner.product);
  ASSERT_EQ(inner.over.size(), 1U);
  EXPECT_EQ(inner.over[0].set, (SetRef{SetNamed(spec, "Members"), 0}));
  EXPECT_EQ(inner.weight->arguments, std::vector<int>{1});
  EXPECT_FALSE(inner.weight_code.has_value());
  EXPECT_EQ(at("outer")->base->text, "2");
  EXPECT_EQ(at("last")->weight_code->text, "1");
}

TEST(Resolve, AQuotientDeclaresASetAndAFlag) {
  const Spec spec = CompileValid(R"exh(
quotient Reps($p in Parts) of $m in Members($p):
  leads = f($m) is A && "$m.good($p)" / near is YES
  item_type = "Item" id_type = "ItemId" item_getter = "$fun.item($id)" id_getter = "$item.id()"
  iterator = "$fun.reps($p)" from_superset = "$fun.rep($p, $item)" new_objs = "$objs.reps"
  add_to_set = "$fun.add_rep($p, $item)"
end
define enum f($i in Items): value A: value B: end
define enum near($a in Items, $b in Items): symmetric value YES: value NO: end
require forall $p in Parts: forall $m in Members($p): leads($p, $m) is TRUE || f($m) is A
trigger forall $p in Parts: "$fun.go($p)" when f($p) is A)exh");
  ASSERT_EQ(spec.quotients.size(), 1U);
  const Quotient& quotient = spec.quotients[0];
  const Set& set = spec.sets[static_cast<std::size_t>(quotient.set)];
  EXPECT_TRUE(set.is_quotient);
  EXPECT_EQ(set.name, "Reps");
  EXPECT_EQ(set.superset, (SetRef{SetNamed(spec, "Members"), 0}));
  const Choice& flag = spec.choices[static_cast<std::size_t>(quotient.flag)];
  EXPECT_EQ(flag.name, "leads");
  ASSERT_EQ(flag.values.size(), 2U);
  EXPECT_EQ(flag.values[0].name, "FALSE");
  EXPECT_EQ(flag.values[1].name, "TRUE");
  ASSERT_EQ(flag.arguments.size(), 2U);
  EXPECT_EQ(flag.arguments[1].set, (SetRef{SetNamed(spec, "Members"), 0}));
  EXPECT_EQ(quotient.dividend.size(), 2U);
  EXPECT_EQ(quotient.dividend[0].lhs.arguments, std::vector<int>{1});
  EXPECT_EQ(spec.choices[static_cast<std::size_t>(quotient.equivalence)].name, "near");
  EXPECT_EQ(quotient.equivalence_values, 1U);
  EXPECT_EQ(spec.requirements[0].clauses[0][0].values, 0b10U);
  // A trigger that does not say what it adds may add to every set but the quotient.
  EXPECT_EQ(spec.triggers[0].adds.size(), 3U);
  EXPECT_EQ(std::ranges::count(spec.triggers[0].adds, quotient.set), 0);
}

TEST(Resolve, DocumentationIsOneParagraph) {
  const Spec spec = CompileValid(
      "/// How it\n///   is done.\n///\ndefine enum f():\n/// One.\nvalue A: value B: end");
  EXPECT_EQ(ChoiceNamed(spec, "f").doc, "How it is done.");
  EXPECT_EQ(ChoiceNamed(spec, "f").values[0].doc, "One.");
}

TEST(Resolve, RangesPointIntoTheText) {
  const std::string text =
      "require forall $i in Items: f($i) is B\n"
      "define enum f($i in Items): value A: value B: end";
  const Spec spec = CompileValid(text);
  const auto cut = [&](SourceRange range) {
    return spec.files[range.file].text.substr(range.begin, range.end - range.begin);
  };
  EXPECT_EQ(cut(spec.requirements[0].range), "require forall $i in Items: f($i) is B");
  EXPECT_EQ(cut(spec.requirements[0].variables[0].range), "$i");
  EXPECT_EQ(cut(spec.requirements[0].clauses[0][0].range), "f($i) is B");
  EXPECT_EQ(cut(ChoiceNamed(spec, "f").range), "f");
  EXPECT_EQ(cut(ChoiceNamed(spec, "f").values[1].range), "B");
  const Set& items = spec.sets[static_cast<std::size_t>(SetNamed(spec, "Items"))];
  EXPECT_EQ(cut(items.range), "Items");
  EXPECT_EQ(cut(items.keys[static_cast<std::size_t>(SetKey::kIterator)]->range), "$fun.items()");
}

TEST(Resolve, AFileThatCannotBeReadIsADiagnostic) {
  DiagnosticSink sink;
  EXPECT_FALSE(Compile("/nowhere/x.exh", {}, sink).has_value());
  EXPECT_EQ(RenderText(sink),
            "/nowhere/x.exh: error: cannot read '/nowhere/x.exh': No such "
            "file or directory [E0104]\n");
}

TEST(Resolve, AFormulaOf256DisjunctionsIsAcceptedAndOneMoreIsNot) {
  std::string formula;  // Each of the eight conjunctions doubles the disjunctions.
  for (int i = 0; i < 8; ++i) formula += std::string(i == 0 ? "" : " || ") + "\"a\" && \"b\"";
  const Spec spec = CompileValid("require least: " + formula);
  EXPECT_EQ(spec.requirements.at(0).clauses.size(), 256U);
  DiagnosticSink sink;
  EXPECT_FALSE(CompileText("a.exh", "require more: (" + formula + ") && \"c\"", {}, sink));
  ASSERT_EQ(sink.Sorted().size(), 1U);
  EXPECT_EQ(sink.Sorted()[0].message,
            "written out, this is more than 256 disjunctions; split it, or name parts of it by a "
            "choice of their own");
  EXPECT_NE(DiagnosticPage(Diag::kTooManyClauses).find("more than 256"), std::string::npos);
}

TEST(Resolve, ALetStandsFor4096ConditionsAndTheirConnectivesAtMost) {
  // l0 is one condition, l1 two and the `&&` between them, l11 is 4095, the lets of a `not` more.
  std::string lets = "let l0() = \"a\"\n";
  for (int i = 1; i < 12; ++i) {
    lets += fmt::format("let l{0}() = l{1}() && l{1}()\n", i, i - 1);
  }
  lets += "let most() = not l11()\nlet more() = not most()\n";
  const auto diagnostics = [&](const std::string& requirement) {
    DiagnosticSink sink;
    CompileText("a.exh", lets + requirement, {}, sink);
    return sink.Sorted();
  };
  EXPECT_EQ(diagnostics("require not more()").at(0).message,
            "'more' stands for more than 4096 conditions");
  EXPECT_NE(DiagnosticPage(Diag::kTooManyClauses).find("more than 4096"), std::string::npos);
  for (const Diagnostic& d : diagnostics("require not most()")) {
    EXPECT_TRUE(d.message.starts_with("written out")) << d.message;
  }
}

TEST(Resolve, TwoRunsGiveTheSame) {
  const std::string path = std::string(kSourceDir) + "/tests/dsl/valid/every_construct.exh";
  DiagnosticSink first;
  DiagnosticSink second;
  const auto a = Compile(path, {}, first);
  const auto b = Compile(path, {}, second);
  ASSERT_TRUE(a && b);
  ASSERT_EQ(a->requirements.size(), b->requirements.size());
  for (std::size_t i = 0; i < a->requirements.size(); ++i) {
    EXPECT_EQ(a->requirements[i].label, b->requirements[i].label);
    EXPECT_EQ(a->requirements[i].text, b->requirements[i].text);
  }
}

}  // namespace
}  // namespace exh::dsl
