// SPDX-License-Identifier: MIT
#include "dsl/syntax/parse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dsl/diagnostics/render.h"
#include "dsl/syntax/print.h"

namespace exh::dsl {
namespace {

std::vector<Token> LexText(const std::string& text, DiagnosticSink& sink) {
  sink.sources().AddInMemory("dir/main.exh", text);
  std::string error;
  return Lex(*sink.sources().Open("dir/main.exh", std::nullopt, &error), {}, sink);
}

std::vector<std::string> Texts(const std::string& text) {
  DiagnosticSink sink;
  std::vector<std::string> texts;
  for (const Token& token : LexText(text, sink)) texts.push_back(token.text);
  EXPECT_FALSE(sink.has_errors()) << RenderText(sink);
  return texts;
}

ast::File ParseText(const std::string& text, DiagnosticSink& sink) {
  sink.sources().AddInMemory("dir/main.exh", text);
  std::string error;
  return Parse(*sink.sources().Open("dir/main.exh", std::nullopt, &error), {}, sink);
}

ast::File ParseValid(const std::string& text) {
  DiagnosticSink sink;
  ast::File file = ParseText(text, sink);
  EXPECT_FALSE(sink.has_errors()) << RenderText(sink);
  return file;
}

using Strings = std::vector<std::string>;

TEST(Lexer, EveryWordAndOperatorIsOneToken) {
  for (const char* word : {"alias",
                           "antisymmetric",
                           "base",
                           "counter",
                           "define",
                           "disjoint",
                           "end",
                           "enum",
                           "false",
                           "forall",
                           "half",
                           "in",
                           "integer",
                           "internal",
                           "is",
                           "mul",
                           "not",
                           "of",
                           "quotient",
                           "require",
                           "requires",
                           "set",
                           "subsetof",
                           "sum",
                           "symmetric",
                           "trigger",
                           "true",
                           "value",
                           "when",
                           "add_to_set",
                           "from_superset",
                           "id_getter",
                           "id_type",
                           "item_getter",
                           "item_type",
                           "iterator",
                           "new_objs",
                           "reverse",
                           "var_prefix",
                           ":",
                           ",",
                           "(",
                           ")",
                           "|",
                           "||",
                           "&&",
                           ">",
                           "<",
                           ">=",
                           "<=",
                           "==",
                           "!=",
                           "=",
                           "->",
                           "/",
                           "name_1",
                           "VALUE_1",
                           "Set_1",
                           "S0x",
                           "$var_1",
                           "$0",
                           "include"}) {
    DiagnosticSink sink;
    const std::vector<Token> tokens = LexText(fmt::format("  {} ", word), sink);
    EXPECT_FALSE(sink.has_errors()) << word;
    ASSERT_EQ(tokens.size(), 1U) << word;
    EXPECT_EQ(tokens[0].text, word);
    EXPECT_EQ(tokens[0].range,
              (SourceRange{0, 2, 2 + static_cast<std::uint32_t>(std::string_view(word).size())}));
  }
}

TEST(Lexer, TheLongestMatchWins) {
  EXPECT_EQ(Texts("fooBar"), (Strings{"foo", "Bar"}));
  EXPECT_EQ(Texts("settings"), (Strings{"settings"}));
  EXPECT_EQ(Texts("a||b|||c"), (Strings{"a", "||", "b", "||", "|", "c"}));
  EXPECT_EQ(Texts("a<=b<->"), (Strings{"a", "<=", "b", "<", "->"}));
}

TEST(Lexer, ClassesOfNames) {
  DiagnosticSink sink;
  const std::vector<Token> tokens = LexText("ab_1 Ab AB A S0x", sink);
  ASSERT_EQ(tokens.size(), 5U);
  EXPECT_EQ(tokens[0].kind, TokenKind::kChoiceName);
  EXPECT_EQ(tokens[1].kind, TokenKind::kSetName);
  EXPECT_EQ(tokens[2].kind, TokenKind::kOther);  // A value name, also when a set could be meant.
  EXPECT_EQ(tokens[3].kind, TokenKind::kOther);
  EXPECT_EQ(tokens[4].kind, TokenKind::kSetName);
}

TEST(Lexer, CommentsVanishAndPositionsAfterThemStayRight) {
  DiagnosticSink sink;
  const std::string text = "a /* one */ b // two\n//\n/* three\n * lines **/ c /**/ d //";
  const std::vector<Token> tokens = LexText(text, sink);
  ASSERT_EQ(tokens.size(), 4U);
  EXPECT_EQ(Locate(text, tokens[1].range.begin), (LineColumn{1, 13}));
  EXPECT_EQ(Locate(text, tokens[2].range.begin), (LineColumn{4, 14}));
  EXPECT_EQ(Locate(text, tokens[3].range.begin), (LineColumn{4, 21}));
}

TEST(Lexer, DocLinesAreJoinedAndEmptyOnesVanish) {
  EXPECT_EQ(Texts("/// one\n  ///two\r\n///\n// no\n////x\nset"), (Strings{" onetwo/x", "set"}));
  EXPECT_EQ(Texts("///"), Strings());
}

TEST(Lexer, CodeIsVerbatimUpToTheQuoteThatNoBackslashPrecedes) {
  EXPECT_EQ(Texts("\"a.b(c)\""), (Strings{"a.b(c)"}));
  EXPECT_EQ(Texts(R"("a\"b\"" c)"), (Strings{R"(a"b")", "c"}));
  EXPECT_EQ(Texts(R"("a\\" b")"), (Strings{R"(a\" b)"}));
  EXPECT_EQ(Texts(R"("a\n\\b" c)"), (Strings{R"(a\n\\b)", "c"}));
  EXPECT_EQ(Texts("\"a\n  b\""), (Strings{"a\n  b"}));
  EXPECT_EQ(Texts("\"a // b /* c\""), (Strings{"a // b /* c"}));
}

TEST(Lexer, ABackslashBeforeANewlineJoinsLines) {
  EXPECT_EQ(Texts("\"a\\\nb\""), (Strings{"ab"}));
  EXPECT_EQ(Texts("\"a \\\n \t b\""), (Strings{"a b"}));
  EXPECT_EQ(Texts("\"a\\\r\n  b\\c\""), (Strings{"ab\\c"}));
  EXPECT_EQ(Texts("\"a\\\n\""), (Strings{"a"}));
}

TEST(Lexer, AdjacentLiteralsAreOneToken) {
  EXPECT_EQ(Texts("\"a\" \"b\"\n// c\n/* d */ \"e\" f \"g\""), (Strings{"abe", "f", "g"}));
  EXPECT_EQ(Texts("a \"\" b"), (Strings{"a", "b"}));
  EXPECT_EQ(Texts("\"a\" \"\" \"b\""), (Strings{"ab"}));
}

TEST(Lexer, TheRangeOfCodeExcludesTheQuotesAndPiecesKeepTheirPlaces) {
  DiagnosticSink sink;
  const std::vector<Token> tokens = LexText("x \"ab\" \"cd\\\n  ef\"", sink);
  ASSERT_EQ(tokens.size(), 2U);
  EXPECT_EQ(tokens[1].range, (SourceRange{0, 3, 16}));
  const ast::Code code{tokens[1].text, tokens[1].range, tokens[1].pieces};
  EXPECT_EQ(code.RangeOf(0, 2), (SourceRange{0, 3, 5}));
  EXPECT_EQ(code.RangeOf(3, 1), (SourceRange{0, 9, 10}));
  EXPECT_EQ(code.RangeOf(4, 2), (SourceRange{0, 14, 16}));
}

TEST(Lexer, AnyByteIsAToken) {
  for (int byte = 0; byte < 256; ++byte) {
    DiagnosticSink sink;
    LexText(std::string(1, static_cast<char>(byte)), sink);
    const std::string legal = " \t\r\n:,()|<>=/%*+-";
    const bool name = std::isalnum(byte) != 0;
    const bool expected =
        byte < 128 &&
        (name || (byte != 0 && legal.find(static_cast<char>(byte)) != std::string::npos));
    EXPECT_EQ(!sink.has_errors(), expected) << byte;
  }
}

TEST(Include, ThePathRunsToTheLastQuoteOfTheLine) {
  DiagnosticSink sink;
  LexText("include \"a\" // \"b\"", sink);
  ASSERT_EQ(sink.Sorted().size(), 1U);
  EXPECT_EQ(sink.Sorted()[0].message, "cannot read 'a\" // \"b': No such file or directory");
}

TEST(Include, NestedFilesKeepTheOrderOfTokens) {
  DiagnosticSink sink;
  sink.sources().AddInMemory("dir/sub/b.exh", "b1\ninclude \"c.exh\"\nb2");
  sink.sources().AddInMemory("dir/sub/c.exh", "c");
  std::vector<std::string> texts;
  for (const Token& token : LexText("a include \"sub/b.exh\"\nd", sink))
    texts.push_back(token.text);
  EXPECT_EQ(texts, (Strings{"a", "b1", "c", "b2", "d"})) << RenderText(sink);
}

TEST(Include, LooksBesideTheIncluderThenInTheIncludeFolders) {
  DiagnosticSink sink;
  sink.sources().AddInMemory("dir/near.exh", "near");
  sink.sources().AddInMemory("lib/near.exh", "far");
  sink.sources().AddInMemory("lib/far.exh", "far");
  sink.sources().AddInMemory("dir/main.exh", "include \"near.exh\"\ninclude \"far.exh\"");
  std::string error;
  const auto main = sink.sources().Open("dir/main.exh", std::nullopt, &error);
  const std::vector<Token> tokens = Lex(*main, {"lib"}, sink);
  ASSERT_EQ(tokens.size(), 2U) << RenderText(sink);
  EXPECT_EQ(tokens[0].text, "near");
  EXPECT_EQ(tokens[1].text, "far");
}

TEST(Include, AMissingFileIsReportedOverTheWholeDirective) {
  DiagnosticSink sink;
  LexText("a include \"no.exh\" b", sink);
  const auto all = sink.Sorted();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].range, (SourceRange{0, 2, 18}));
  EXPECT_EQ(all[0].message, "cannot read 'no.exh': No such file or directory");
}

TEST(Include, AFileThatIncludesTwoOfItsKindTwiceEnds) {
  DiagnosticSink sink;
  for (int i = 0; i < 40; ++i) {
    const std::string next = fmt::format("include \"{}.exh\"\n", i + 1);
    sink.sources().AddInMemory(fmt::format("dir/{}.exh", i), next + next);
  }
  sink.sources().AddInMemory("dir/40.exh", "end");
  LexText("include \"0.exh\"", sink);
  ASSERT_EQ(sink.Sorted().size(), 1U);
  EXPECT_EQ(sink.Sorted()[0].message, "too many files are included");
}

TEST(Parser, ContextualWordsStayLegalNames) {
  const ast::File file = ParseValid(R"exh(
    choice enum choice($type in Ax): value A: end
    define enum type(): value A: end
    define integer adds(): "u" end
    define enum host(): value A: end
    choice half counter backbone(): forall $header in Ax: sum adds() when: type() is A end
    require choice: forall $host in Ax: choice($host) is A  host() is A  adds() < "3"
    require label: type() is A || host() is A
    quotient Qx of $x in Ax: type = "a" / choice is A
      type = "T"
    end
    trigger adds: forall $adds in Ax: adds Ax, Bx "go" when adds() < "3" && host() is A
    host "c++": backbone = "B" header = "h" end
  )exh");
  ASSERT_EQ(file.statements.size(), 10U);
  EXPECT_EQ(std::get<ast::EnumDecl>(file.statements[0]).name.text, "choice");
  EXPECT_EQ(std::get<ast::CounterDecl>(file.statements[4]).visibility, Visibility::kHalf);
  const auto& require = std::get<ast::RequireDecl>(file.statements[5]);
  EXPECT_EQ(require.label->text, "choice");
  EXPECT_EQ(require.constraint.clauses.size(), 3U);
  const auto& quotient = std::get<ast::QuotientDecl>(file.statements[7]);
  EXPECT_EQ(quotient.flag.text, "type");
  ASSERT_EQ(quotient.keys.size(), 1U);
  EXPECT_EQ(quotient.keys[0].word.text, "item_type");
  const auto& trigger = std::get<ast::TriggerDecl>(file.statements[8]);
  EXPECT_EQ(trigger.label->text, "adds");
  EXPECT_EQ(trigger.adds->size(), 2U);
  EXPECT_EQ(trigger.when.parts.size(), 2U);
}

TEST(Parser, JuxtaposedDisjunctionsAreSeparateClauses) {
  const ast::File file = ParseValid(
      "require f() is A || g() is not B | C\n h() < \"1\" || true\n f() == g() false\nrequire\n");
  ASSERT_EQ(file.statements.size(), 2U);
  const auto& clauses = std::get<ast::RequireDecl>(file.statements[0]).constraint.clauses;
  ASSERT_EQ(clauses.size(), 4U);
  EXPECT_EQ(clauses[0].parts.size(), 2U);
  EXPECT_EQ(clauses[1].parts.size(), 2U);
  EXPECT_EQ(clauses[2].kind, ast::Formula::Kind::kCondition);
  EXPECT_EQ(clauses[3].kind, ast::Formula::Kind::kCondition);
  EXPECT_TRUE(std::get<ast::RequireDecl>(file.statements[1]).constraint.clauses.empty());
}

TEST(Parser, VariablesMayShareAQuantifier) {
  const ast::File shared = ParseValid(
      "require forall $a, $b in Dims: forall $c in Own($a): f($a, $b) is X || g($c) is Y\n");
  ASSERT_EQ(shared.statements.size(), 1U);
  const auto& constraint = std::get<ast::RequireDecl>(shared.statements[0]).constraint;
  ASSERT_EQ(constraint.foralls.size(), 2U);
  ASSERT_EQ(constraint.foralls[0].names.size(), 2U);
  EXPECT_EQ(constraint.foralls[0].names[1].text, "b");
  EXPECT_FALSE(constraint.foralls[0].ascending);
  EXPECT_EQ(constraint.foralls[0].set.set.text, "Dims");
}

TEST(Parser, QuantifiersMayBeAscendingAndFiltered) {
  const ast::File file = ParseValid(
      "require forall $a < $b < $c in Dims where \"$a.x\" && p($b, $c): f($a) is X\n"
      "require forall $where in Dims where where($where): where($where) is X\n");
  ASSERT_EQ(file.statements.size(), 2U);
  const auto& first = std::get<ast::RequireDecl>(file.statements[0]).constraint.foralls[0];
  EXPECT_EQ(first.names.size(), 3U);
  EXPECT_TRUE(first.ascending);
  ASSERT_TRUE(first.where.has_value());
  EXPECT_EQ(Print(*first.where), "\"$a.x\" && p($b, $c)");
  const auto& second = std::get<ast::RequireDecl>(file.statements[1]).constraint.foralls[0];
  EXPECT_EQ(Print(*second.where), "where($where)");
}

TEST(Parser, ConnectivesBindAsInC) {
  const auto clauses = [](const std::string& text) {
    const ast::File file = ParseValid("require " + text);
    return std::get<ast::RequireDecl>(file.statements.at(0)).constraint.clauses;
  };
  using Kind = ast::Formula::Kind;
  const auto either = clauses("f() is A || g() is B && not h() is C");
  ASSERT_EQ(either.size(), 1U);
  ASSERT_EQ(either[0].kind, Kind::kOr);
  EXPECT_EQ(either[0].parts[1].kind, Kind::kAnd);
  EXPECT_EQ(either[0].parts[1].parts[1].kind, Kind::kNot);
  const auto implied = clauses("f() is A => g() is B || p() => not not (h() is C && p())");
  ASSERT_EQ(implied.size(), 1U);
  ASSERT_EQ(implied[0].kind, Kind::kImplies);
  EXPECT_EQ(implied[0].parts[0].kind, Kind::kCondition);
  ASSERT_EQ(implied[0].parts[1].kind, Kind::kImplies);
  EXPECT_EQ(implied[0].parts[1].parts[0].kind, Kind::kOr);
  EXPECT_EQ(implied[0].parts[1].parts[1].kind, Kind::kNot);
  // Side by side: three of them, the last in parentheses.
  EXPECT_EQ(clauses("p($a) f() < limit (f() is A)").size(), 3U);
}

TEST(Parser, ConditionsMayHaveNumbersAndConstants) {
  const ast::File file =
      ParseValid("require n() is not 2 | 16 .. 32\n  n() <= 32\n  n() > most\n  n() < most()");
  const auto& clauses = std::get<ast::RequireDecl>(file.statements.at(0)).constraint.clauses;
  ASSERT_EQ(clauses.size(), 4U);
  const auto& test = std::get<ast::IsTest>(clauses[0].condition->kind);
  EXPECT_TRUE(test.values.empty() && test.negated);
  ASSERT_EQ(test.numbers.size(), 2U);
  EXPECT_FALSE(test.numbers[0].last);
  EXPECT_EQ(test.numbers[1].first.text, "16");
  EXPECT_EQ(test.numbers[1].last->text, "32");
  const auto rhs = [&](std::size_t i) -> const auto& {
    return std::get<ast::TermComparison>(clauses[i].condition->kind).right.at(0).operand;
  };
  EXPECT_EQ(std::get<ast::WrittenNumber>(rhs(1)).digits.text, "32");
  EXPECT_EQ(std::get<ast::Name>(rhs(2)).text, "most");
  EXPECT_EQ(std::get<ast::Instance>(rhs(3)).choice.text, "most");
}

TEST(Parser, WhatSpacesWithDataAreMadeOf) {
  const ast::File file = ParseValid(R"exh(
    extern constant n = -8
    extern constant time($a in Ax, $b in Ax)
    set Rx = 1 .. n - 1
    /// Doc.
    extern set Gx($a in Ax) subsetof Ax
    define integer i($a in Ax): 0 .. n - time($a, $a) | 4 end
    define integer j(): n end
    define integer k(): 1 | 2 .. 4 end
    define counter c(): base n forall $a in Ax: sum $a * 2 when: i($a) - $a < min($a + 1, n) end
    minimize i() - -n
    lower_bound us: (n)
    require i() < minimize - 3
    require minimize($a) is A  maximize() is B
    define enum maximize($lower_bound in Ax): value A: end
    maximize max(n, 3)
  )exh");
  ASSERT_EQ(file.statements.size(), 14U);
  EXPECT_TRUE(std::get<ast::ExternDecl>(file.statements[0]).number->negative);
  EXPECT_EQ(std::get<ast::ExternDecl>(file.statements[1]).arguments.size(), 2U);
  EXPECT_EQ(std::get<ast::SetDecl>(file.statements[2]).numbers->last->size(), 3U);
  EXPECT_TRUE(std::get<ast::SetDecl>(file.statements[3]).given);
  EXPECT_EQ(std::get<ast::SetDecl>(file.statements[3]).doc, " Doc.");
  EXPECT_EQ(std::get<2>(std::get<ast::IntegerDecl>(file.statements[4]).universe).size(), 2U);
  EXPECT_FALSE(std::get<2>(std::get<ast::IntegerDecl>(file.statements[5]).universe)[0].last);
  EXPECT_EQ(std::get<1>(std::get<ast::IntegerDecl>(file.statements[6]).universe).size(), 2U);
  EXPECT_TRUE(
      std::holds_alternative<ast::Name>(*std::get<ast::CounterDecl>(file.statements[7]).base));
  EXPECT_FALSE(std::get<ast::ObjectiveDecl>(file.statements[8]).maximize);
  EXPECT_EQ(std::get<ast::LowerBoundDecl>(file.statements[9]).unit.text, "us");
  EXPECT_EQ(std::get<ast::RequireDecl>(file.statements[11]).constraint.clauses.size(), 2U);
  EXPECT_EQ(std::get<ast::EnumDecl>(file.statements[12]).name.text, "maximize");
  EXPECT_TRUE(std::get<ast::ObjectiveDecl>(file.statements[13]).maximize);
}

TEST(Parser, NewWordsAreWordsInTheirPlaceOnly) {
  const ast::File file = ParseValid(R"exh(
    /// Doc.
    let let($where in Ax) = f($where) is A && g() < "1"
    extern predicate predicate($once in Ax)
    extern constant constant = "3"
    extern dynamic predicate dynamic($a in Ax) of Bx
    quotient canonical Qx of $x in Ax: canonical = / f is A end
    trigger once once: forall $once in Ax: "go" when let($once)
    trigger once: "go" when extern() is A
    trigger once "go" when canonical() is A
    define enum extern(): value A: end
    define enum let(): value A: requires let() is A let() is A end
    decide decide, let, f
    define enum decide(): value A: requires decide() is A  decide() is A end
  )exh");
  ASSERT_EQ(file.statements.size(), 12U);
  EXPECT_EQ(std::get<ast::LetDecl>(file.statements[0]).doc, " Doc.");
  EXPECT_EQ(std::get<ast::LetDecl>(file.statements[0]).name.text, "let");
  EXPECT_EQ(std::get<ast::ExternDecl>(file.statements[1]).name.text, "predicate");
  EXPECT_TRUE(std::get<ast::ExternDecl>(file.statements[2]).constant);
  EXPECT_TRUE(std::get<ast::ExternDecl>(file.statements[3]).present.has_value());
  EXPECT_TRUE(std::get<ast::QuotientDecl>(file.statements[4]).canonical);
  EXPECT_EQ(std::get<ast::QuotientDecl>(file.statements[4]).flag.text, "canonical");
  EXPECT_TRUE(std::get<ast::TriggerDecl>(file.statements[5]).once);
  EXPECT_EQ(std::get<ast::TriggerDecl>(file.statements[5]).label->text, "once");
  EXPECT_FALSE(std::get<ast::TriggerDecl>(file.statements[6]).once);
  EXPECT_TRUE(std::get<ast::TriggerDecl>(file.statements[7]).once);
  EXPECT_EQ(std::get<ast::DecideDecl>(file.statements[10]).choices.size(), 3U);
  EXPECT_EQ(std::get<ast::DecideDecl>(file.statements[10]).choices[0].text, "decide");
  EXPECT_EQ(std::get<ast::EnumDecl>(file.statements[11]).name.text, "decide");
}

TEST(Parser, ParenthesesAreNotNestedWithoutEnd) {
  const auto nested = [](int depth) {
    const auto n = static_cast<std::size_t>(depth);
    return "require " + std::string(n, '(') + "true" + std::string(n, ')');
  };
  ParseValid(nested(100));
  DiagnosticSink sink;
  ParseText(nested(5000), sink);
  ASSERT_EQ(sink.Sorted().size(), 1U);
  EXPECT_EQ(sink.Sorted()[0].diag, Diag::kNestedTooDeeply);
}

TEST(Parser, TheListingsOfThePaperParse) {
  ParseValid(R"exh(
    set MemAccesses subsetof Instructions:
      type = "MemAccess"
    end
    choice enum cache($inst in MemAccesses):
      value L1:  // Use L1+L2 caches
      value NONE:
    end
    choice enum order($lhs in Instructions, $rhs in Instructions):
      value BEFORE:
      value AFTER:
      antisymmetric:
        BEFORE -> AFTER
    end
    choice integer size($dim in Dims): "$dim.possible_sizes()" end
    choice counter local_mem():
      forall $mem_block in MemBlocks:
        sum "$mem_block.size()" when
          mem_space($mem_block) is LOCAL
    end
    require local_mem() < "gpu.local_mem_size"
    trigger forall $lhs in Dims: forall $rhs in Dims: "lower()" when order($lhs, $rhs) is BEFORE
    quotient ThreadDims of $dim in Dims:
      is_thread_dim = dim_kind($dim) is THREAD / fused is TRUE
    end
  )exh");
}

TEST(Parser, EveryStatementKnowsItsPlace) {
  const std::string text = "/// Doc.\nrequire name: forall $a in Ax:\n  f($a) is A\nset Bx: end";
  const ast::File file = ParseValid(text);
  const auto& require = std::get<ast::RequireDecl>(file.statements[0]);
  EXPECT_EQ(text.substr(require.range.begin, require.range.end - require.range.begin),
            "require name: forall $a in Ax:\n  f($a) is A");
  EXPECT_EQ(Locate(text, require.range.begin), (LineColumn{2, 1}));
  const auto& condition = *require.constraint.clauses[0].condition;
  EXPECT_EQ(text.substr(condition.range.begin, condition.range.end - condition.range.begin),
            "f($a) is A");
  const std::string list = "set Bx: end decide f,\n  g // h\nset Cx: end";
  const ast::File decided = ParseValid(list);
  const auto& decide = std::get<ast::DecideDecl>(decided.statements[1]);
  EXPECT_EQ(list.substr(decide.range.begin, decide.range.end - decide.range.begin),
            "decide f,\n  g");
}

TEST(Parser, AnErrorKeepsTheOtherStatements) {
  DiagnosticSink sink;
  const ast::File file =
      ParseText("set Ax end define enum f(): end set 3 define enum g(): end", sink);
  ASSERT_EQ(file.statements.size(), 4U);
  EXPECT_EQ(std::get<ast::BrokenDecl>(file.statements[0]).declares[0].text, "Ax");
  EXPECT_EQ(std::get<ast::EnumDecl>(file.statements[1]).name.text, "f");
  EXPECT_TRUE(std::get<ast::BrokenDecl>(file.statements[2]).declares.empty());
  EXPECT_EQ(std::get<ast::EnumDecl>(file.statements[3]).name.text, "g");
  EXPECT_EQ(sink.Sorted().size(), 2U) << RenderText(sink);
}

}  // namespace
}  // namespace exh::dsl
