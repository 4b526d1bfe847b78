// SPDX-License-Identifier: MIT
//
// Terms: what the parser makes of them, what the Spec says, and that nothing else changed for what
// can be said without them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/dsl.h"
#include "dsl/syntax/format.h"
#include "dsl/syntax/parse.h"
#include "dsl/syntax/print.h"
#include "tests/dsl/verify.h"

namespace exh::dsl {
namespace {

constexpr const char* kSpace = R"exh(
set Items:
  item_type = "Item" id_type = "ItemId" item_getter = "$fun.item($id)" id_getter = "$item.id()"
  iterator = "$fun.items()" new_objs = "$objs.items"
end
choice integer a($i in Items): "$i.sizes()" end
choice integer b($i in Items): 1 | 2 | 4 .. 8 end
choice integer min($i in Items): 0 .. 99 end
choice integer div(): 3 end
choice enum kind($i in Items): value A: value B: end
extern constant most
extern constant max
choice counter total(): base -4 forall $i in Items: sum a($i) * 4 + 1 when: kind($i) is A end
)exh";

Spec CompileValid(const std::string& text) {
  DiagnosticSink sink;
  CompileOptions options;
  options.lints = false;
  auto spec = CompileText("main.exh", kSpace + text, options, sink);
  EXPECT_FALSE(sink.has_errors()) << text << "\n" << RenderText(sink);
  return spec ? std::move(*spec) : Spec();
}

/// The text with one statement, printed: it has parentheses only where they mean something.
std::string Printed(const std::string& text) {
  DiagnosticSink sink;
  sink.sources().AddInMemory("a.exh", text);
  std::string error;
  const ast::File file = Parse(*sink.sources().Open("a.exh", {}, &error), {}, sink);
  EXPECT_EQ(RenderText(sink), "") << text;
  return Print(file);
}

/// The nodes of a term, operands first.
std::string Text(const Spec& spec, const Term& term) {
  constexpr const char* kWords[] = {"",  "",  "",    "neg", "+",   "-",
                                    "*", "/", "div", "%",   "min", "max"};
  std::string text;
  for (const TermNode& node : term) {
    if (!text.empty()) text += ' ';
    switch (node.kind) {
      case TermNode::Kind::kNumber:
        text += std::to_string(node.number);
        break;
      case TermNode::Kind::kCode:
        text += node.external < 0 ? "\"" + node.code.text + "\""
                                  : spec.externals[static_cast<std::size_t>(node.external)].name;
        break;
      case TermNode::Kind::kInstance:
        text += spec.choices[static_cast<std::size_t>(node.instance.choice)].name;
        for (const int argument : node.instance.arguments) text += std::to_string(argument);
        break;
      default:
        text += kWords[static_cast<std::size_t>(node.kind)];
    }
  }
  return text;
}

/// "left op right" of the only condition of each clause; other conditions by the name of their
/// kind.
std::vector<std::string> Clauses(const std::string& text) {
  constexpr const char* kOps[] = {"<", ">", "<=", ">=", "==", "!="};
  const Spec spec = CompileValid(text);
  std::vector<std::string> clauses;
  if (spec.requirements.empty()) return clauses;
  for (const auto& clause : spec.requirements[0].clauses) {
    const Condition& c = clause.at(0);
    const char* const op = kOps[static_cast<std::size_t>(c.op)];
    if (c.kind == Condition::Kind::kTerms) {
      clauses.push_back(fmt::format("{}{} {} {}", c.negated ? "not " : "", Text(spec, c.left), op,
                                    Text(spec, c.right)));
    } else if (c.kind == Condition::Kind::kCompareCode) {
      clauses.push_back(
          fmt::format("{} {} {}", spec.choices[static_cast<std::size_t>(c.lhs.choice)].name, op,
                      !c.numbers.empty() ? std::to_string(c.numbers[0])
                      : c.external >= 0  ? spec.externals[static_cast<std::size_t>(c.external)].name
                                         : "\"" + c.code.text + "\""));
    } else {
      clauses.push_back(c.kind == Condition::Kind::kCompare ? "compare" : "other");
    }
  }
  return clauses;
}

std::string Clause(const std::string& condition) {
  const auto clauses = Clauses("require forall $i, $j in Items: " + condition);
  return clauses.size() == 1 ? clauses[0] : fmt::format("{} clauses", clauses.size());
}

TEST(Terms, BindAsInArithmetic) {
  EXPECT_EQ(Clause("a($i) + b($i) * 2 < 4 - 1"), "a0 b0 2 * + < 4 1 -");
  EXPECT_EQ(Clause("a($i) - b($i) - 2 < 4"), "a0 b0 - 2 - < 4");
  EXPECT_EQ(Clause("a($i) - (b($i) - 2) < 4"), "a0 b0 2 - - < 4");
  EXPECT_EQ(Clause("a($i) * b($i) div 2 % 3 < 4"), "a0 b0 * 2 div 3 % < 4");
  EXPECT_EQ(Clause("a($i) / b($i) / 2 < 4"), "a0 b0 / 2 / < 4");
  EXPECT_EQ(Clause("-a($i) * 2 > - -b($j)"), "a0 neg 2 * > b1 neg neg");
  EXPECT_EQ(Clause("-(a($i) * 2) >= -4"), "a0 2 * neg >= -4");
  EXPECT_EQ(Clause("4 * -3 - -2 < a($i)"), "4 -3 * -2 - < a0");
  EXPECT_EQ(Clause("min(a($i), b($j) + 1) == max(2, a($j))"), "a0 b1 1 + min == 2 a1 max");
  EXPECT_EQ(Clause("((a($i)) + (most)) != (\"$i.x()\")"), "a0 most + != \"$i.x()\"");
  EXPECT_EQ(Clause("total() + \"$fun.x()\" <= most * 2"), "total \"$fun.x()\" + <= most 2 *");
}

TEST(Terms, WhatCouldBeSaidBeforeIsWhatItWas) {
  EXPECT_EQ(Clause("a($i) < a($j)"), "compare");
  EXPECT_EQ(Clause("(a($i)) < (a($j))"), "compare");
  EXPECT_EQ(Clause("kind($i) == kind($j)"), "compare");
  EXPECT_EQ(Clause("a($i) < 4"), "a < 4");
  EXPECT_EQ(Clause("a($i) <= 4294967295"), "a <= 4294967295");
  EXPECT_EQ(Clause("a($i) == \"$i.list()\""), "a == \"$i.list()\"");
  EXPECT_EQ(Clause("a($i) != most"), "a != most");
  EXPECT_EQ(Clause("not a($i) < 4"), "a >= 4");
  // Mirrored.
  EXPECT_EQ(Clause("4 < a($i)"), "a > 4");
  EXPECT_EQ(Clause("4 <= a($i)"), "a >= 4");
  EXPECT_EQ(Clause("most >= a($i)"), "a <= most");
  EXPECT_EQ(Clause("most > a($i)"), "a < most");
  EXPECT_EQ(Clause("\"$i.list()\" == a($i)"), "a == \"$i.list()\"");
  EXPECT_EQ(Clause("4 != a($i)"), "a != 4");
  // Numbers of two choices.
  EXPECT_EQ(Clause("a($i) < b($i)"), "a0 < b0");
  EXPECT_EQ(Clause("total() == a($i)"), "total == a0");
}

TEST(Terms, AreNegatedAsAWhole) {
  EXPECT_EQ(Clause("not 4 / a($i) < 2"), "not 4 a0 / < 2");
  EXPECT_EQ(Clause("4 % a($i) == 2 => false"), "not 4 a0 % == 2");
  EXPECT_EQ(Clause("not not a($i) + 1 < 2"), "a0 1 + < 2");
}

TEST(Terms, WordsAreNamesElsewhere) {
  EXPECT_EQ(Clause("min($i) < 4"), "min < 4");
  EXPECT_EQ(Clause("min(min($i), 4) < 4"), "min0 4 min < 4");
  EXPECT_EQ(Clause("a($i) < max"), "a < max");
  EXPECT_EQ(Clause("a($i) + 1 < max"), "a0 1 + < max");
  EXPECT_EQ(Clause("a($i) + max < max(1, max)"), "a0 max + < 1 max max");
  EXPECT_EQ(Clause("div() < 4"), "div < 4");
  EXPECT_EQ(Clause("a($i) div div() < 4"), "a0 div div < 4");
  EXPECT_EQ(Clause("a($i) div (div() + 1) < 4"), "a0 div 1 + div < 4");
  EXPECT_EQ(Clauses("require forall $i in Items: a($i) < 4 div() < 4"),
            (std::vector<std::string>{"a < 4", "div < 4"}));
  EXPECT_EQ(Clauses("require div() div 2 < most div() < 4 max > div()"),
            (std::vector<std::string>{"div 2 div < most", "div < 4", "div < max"}));
  EXPECT_EQ(Clauses("extern constant div_1 require min: forall $i in Items: div_1 + 1 < a($i)"),
            (std::vector<std::string>{"div_1 1 + < a0"}));
}

TEST(Terms, StandSideBySide) {
  EXPECT_EQ(Clauses("require forall $i in Items: a($i) < 4 4 < b($i) (a($i) + 1) * 2 < most "
                    "(most - a($i)) < 3 kind($i) is A -a($i) < 3 min(a($i), 3) < 2"),
            (std::vector<std::string>{"a < 4", "b > 4", "a0 1 + 2 * < most", "most a0 - < 3",
                                      "other", "a0 neg < 3", "a0 3 min < 2"}));
}

TEST(Terms, StandInQuotientsAndTriggers) {
  const Spec spec = CompileValid(R"exh(
quotient Reps of $i in Items: leads = a($i) / 2 <= 3 / near is YES end
quotient Others of $i in Items: other = twice($i) / near is YES end
quotient Many of $i in Items: many = kind($i) is A && a($i) / 2 <= most / near is YES end
let twice($x in Items) = a($x) * 2 <= most
choice enum near($a in Items, $b in Items): symmetric value YES: value NO: end
trigger forall $i in Items: adds Items "$fun.go($i)" when a($i) + 1 > b($i)
)exh");
  ASSERT_EQ(spec.quotients.size(), 3U);
  EXPECT_EQ(Text(spec, spec.quotients[0].dividend.at(0).left), "a0 2 /");
  EXPECT_EQ(Text(spec, spec.quotients[0].dividend.at(0).right), "3");
  EXPECT_EQ(Text(spec, spec.quotients[1].dividend.at(0).left), "a0 2 *");
  EXPECT_EQ(Text(spec, spec.quotients[2].dividend.at(1).right), "most");
  EXPECT_EQ(Text(spec, spec.triggers.at(0).when.at(0).left), "a0 1 +");
}

TEST(Terms, LetsRenameWhatStandsInThem) {
  const Spec spec = CompileValid(R"exh(
let twice($x in Items, $y in Items) = a($x) * 2 <= "$x.of($y) + $fun.x(xy)" - b($y)
require forall $x, $y in Items: not twice($y, $x)
)exh");
  const Condition& condition = spec.requirements.at(0).clauses.at(0).at(0);
  EXPECT_EQ(Text(spec, condition.left), "a1 2 *");
  EXPECT_EQ(Text(spec, condition.right), "\"$y.of($x) + $fun.x(xy)\" b0 -");
  EXPECT_EQ(condition.right.at(0).code.variables.at(0).variable, 1);
  EXPECT_EQ(condition.text, "a($y) * 2 <= \"$y.of($x) + $fun.x(xy)\" - b($x)");
  EXPECT_TRUE(condition.negated);
}

TEST(Terms, CountersHaveTermsAndNumbers) {
  const Spec spec = CompileValid(R"exh(
choice counter one(): forall $i in Items: sum 1 when: end
choice counter some(): base 7 forall $i in Items: sum most when: total() + 1 < 4 end
choice counter code(): base "$fun.x()" forall $i in Items: mul (a($i) + 1) when: end
)exh");
  const auto at = [&](const std::string& name) -> const Choice& {
    for (const Choice& choice : spec.choices) {
      if (choice.name == name) return choice;
    }
    return spec.choices.at(0);
  };
  EXPECT_EQ(at("total").base_number, -4);
  EXPECT_FALSE(at("total").base);
  EXPECT_EQ(Text(spec, at("total").weight_term), "a0 4 * 1 +");
  EXPECT_FALSE(at("total").weight || at("total").weight_code);
  EXPECT_EQ(Text(spec, at("one").weight_term), "1");
  EXPECT_FALSE(at("one").base_number);
  EXPECT_EQ(at("some").base_number, 7);
  EXPECT_EQ(Text(spec, at("some").weight_term), "most");
  EXPECT_EQ(at("some").when.at(0).kind, Condition::Kind::kTerms);
  EXPECT_EQ(at("code").base->text, "$fun.x()");
  EXPECT_EQ(Text(spec, at("code").weight_term), "a0 1 +");
}

TEST(Terms, NumbersOfChoicesAreListed) {
  const Spec spec = CompileValid("require forall $i in Items: b($i) is 7 | 2 .. 4 | 3");
  const auto& b = spec.choices.at(1);
  EXPECT_EQ(b.numbers, (std::vector<std::uint32_t>{1, 2, 4, 5, 6, 7, 8}));
  EXPECT_TRUE(b.universe.text.empty());
  EXPECT_EQ(spec.choices.at(2).numbers.size(), 100U);
  EXPECT_EQ(spec.requirements[0].clauses[0][0].numbers, (std::vector<std::uint32_t>{2, 3, 4, 7}));
}

TEST(Terms, RememberTheirText) {
  const Spec spec = CompileValid(
      "require forall $i in Items: ((a($i)+ 1))*\n 2<=(\"f(  $i )\")-(b($i)-3) || true");
  EXPECT_EQ(spec.requirements[0].clauses[0][0].text,
            "(a($i) + 1) * 2 <= \"f( $i )\" - (b($i) - 3)");
}

TEST(Terms, PrintWithTheParenthesesThatTheyNeed) {
  EXPECT_EQ(Printed("require x: (a()*2)+(-b()) < ((c()))  (-a()) < 3"),
            "require x: a() * 2 + -b() < c()  (-a() < 3)\n");
  EXPECT_EQ(Printed("require x: (a()+2)*(b() div (c() % 2)) >= -(a()+1)-(b()-c())"),
            "require x: (a() + 2) * (b() div (c() % 2)) >= -(a() + 1) - (b() - c())\n");
  EXPECT_EQ(Printed("choice integer a(): 1|2..4 end choice counter c(): base - 4 "
                    "sum (min(a(),(2))) when end"),
            "define integer a():\n  1 | 2 .. 4\nend\n\n"
            "define counter c():\n  base -4\n  sum min(a(), 2) when:\nend\n");
}

TEST(Terms, OfAnyLengthAreOneTerm) {
  std::string sum = "a($i)";
  for (int i = 0; i < 20000; ++i) sum += i % 2 == 0 ? " + 1" : " - a($i)";
  EXPECT_GT(Clause(sum + " < 4").size(), 90000U);
}

TEST(Terms, AreFormatted) {
  FormatError error;
  EXPECT_EQ(FormatText("require x:(a($i)+2)*b($i)div(c()-1)<=- 4+min (a($i),- 1)%2 c()<3 -1\n"
                       "choice integer x():1|2..8 end\n"
                       "choice counter c():base - 4 sum 2*(a()) when:div($i)-1<2 end\n",
                       &error),
            "require x: (a($i) + 2) * b($i) div (c() - 1) <= -4 + min(a($i), -1) % 2  c() < 3 - 1\n"
            "choice integer x(): 1 | 2 .. 8 end\n"
            "choice counter c(): base -4 sum 2 * (a()) when: div($i) - 1 < 2 end\n");
}

}  // namespace
}  // namespace exh::dsl
