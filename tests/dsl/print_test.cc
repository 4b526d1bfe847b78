// SPDX-License-Identifier: MIT
//
// parse -> print -> parse gives an equal tree, on files and on random trees.
#include "dsl/syntax/print.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "dsl/diagnostics/render.h"
#include "dsl/syntax/parse.h"
#include "tests/dsl/verify.h"
#include "tests/support/tree.h"

namespace exh::dsl {
namespace {

ast::File ParseText(const std::string& path, const std::string& text) {
  DiagnosticSink sink;
  sink.sources().AddInMemory(path, text);
  std::string error;
  // Spaces of other repositories find those of the tree as exh_add_space lets them.
  const std::vector<std::string> folders = {std::string(kSourceDir) + "/kernels/spaces"};
  ast::File file = Parse(*sink.sources().Open(path, std::nullopt, &error), folders, sink);
  EXPECT_FALSE(sink.has_errors()) << RenderText(sink) << "\nin\n" << text;
  return file;
}

TEST(Print, EveryFileOfTheTreeSurvives) {
  int files = 0;
  for (const char* folder : {"tests", "kernels", "docs"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(kSourceDir) / folder)) {
      const std::string path = entry.path().string();
      // Files that are mistaken on purpose lie in folders of their own.
      if (entry.path().extension() != ".exh" || path.find("/invalid/") != std::string::npos ||
          path.find("/render/") != std::string::npos) {
        continue;
      }
      const ast::File file = ParseText(path, ReadFile(path));
      EXPECT_TRUE(file == ParseText("printed.exh", Print(file))) << path << "\n" << Print(file);
      ++files;
    }
  }
  EXPECT_GE(files, 2);
}

TEST(Print, IsCanonical) {
  for (const char* const name : {"every_construct", "data"}) {
    const std::string path = std::string(kSourceDir) + "/tests/dsl/valid/" + name + ".exh";
    const std::string once = Print(ParseText(path, ReadFile(path)));
    EXPECT_EQ(once, Print(ParseText("printed.exh", once)));
  }
}

TEST(Print, ShowsAStatementAsAPersonWouldWriteIt) {
  EXPECT_EQ(Print(ParseText("a.exh",
                            "choice enum f($a in Ax,$b in Bx($a)):value A:requires "
                            "f($a,$b)is not A|B||\"c\" alias C=A|B: symmetric end")),
            "define enum f($a in Ax, $b in Bx($a)):\n"
            "  value A:\n"
            "    requires f($a, $b) is not A | B || \"c\"\n"
            "  alias C = A | B:\n"
            "  symmetric\n"
            "end\n");
}

TEST(Print, CodeSurvivesItsQuotesAndBackslashes) {
  for (const std::string text : {"a\\\nb", "a\\", "\"q\"", "\\\"", "\\\\", "\\\r\nx"}) {
    ast::RequireDecl require;
    require.constraint.clauses.push_back({{}, ast::Condition{ast::Code{text, {}, {}}, {}}, {}, {}});
    const ast::File file{{require}};
    EXPECT_TRUE(file == ParseText("b.exh", Print(file))) << text << "\n" << Print(file);
  }
}

// Builds random trees that a text can express.
class RandomTree {
 public:
  explicit RandomTree(std::uint32_t seed) : random_(seed) {}

  ast::File File() {
    ast::File file;
    for (int i = Below(6); i >= 0; --i) file.statements.push_back(Statement());
    return file;
  }

 private:
  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  ast::Name Pick(std::initializer_list<const char*> names) {
    return {*(names.begin() + Below(static_cast<int>(names.size()))), {}};
  }
  ast::Name ChoiceName() {
    return Pick({"order", "kind", "choice", "type", "adds", "host", "x_1", "div", "min", "max",
                 "minimize", "lower_bound"});
  }
  ast::Name SetName() { return Pick({"Dims", "S0x", "Insts"}); }
  ast::Name ValueName() { return Pick({"A", "BEFORE", "V_1"}); }
  ast::Name VarName() { return Pick({"a", "b", "fun", "0", "A_b"}); }
  std::string DocText() { return Below(2) == 0 ? "" : Pick({" Text.", "/x", " \"q\" /* "}).text; }
  ast::Code Code() {
    return {Pick({"$a.b()", "a\\\nb", " ", "x\\", "\n", "// c", "$fun->f(a, \"b\")"}).text, {}, {}};
  }

  template <typename Function>
  auto Some(int most, int least, Function make) {
    std::vector<decltype(make())> all;
    for (int i = Below(most - least + 1) + least; i > 0; --i) all.push_back(make());
    return all;
  }
  std::vector<ast::Name> ValueNames() {
    return Some(3, 1, [&] { return ValueName(); });
  }

  ast::SetRef SetRef() {
    ast::SetRef ref{SetName(), std::nullopt, {}};
    if (Below(3) == 0) ref.parameter = VarName();
    return ref;
  }
  ast::VarDef VarDef() { return {VarName(), SetRef()}; }
  std::vector<ast::VarDef> VarDefs() {
    return Some(3, 0, [&] { return VarDef(); });
  }
  ast::Instance Instance() {
    return {ChoiceName(), Some(3, 0, [&] { return VarName(); }), {}};
  }
  std::vector<ast::NumberRange> Numbers() {
    return Some(3, 1, [&] {
      ast::NumberRange range{Pick({"0", "16", "007"}), std::nullopt};
      if (Below(3) == 0) range.last = Pick({"20", "99"});
      return range;
    });
  }
  ast::TermNode Operand() {
    using Kind = ast::TermNode::Kind;
    switch (Below(5)) {
      case 0:
        return {Kind::kNumber, ast::WrittenNumber{Pick({"0", "3", "64"})}, {}};
      case 1:
        return {Kind::kCode, Code(), {}};
      case 2:
        return {Kind::kCode, Pick({"most", "choice", "host", "div", "max", "let", "maximize"}), {}};
      case 3:
        return {Kind::kVariable, VarName(), {}};
      default:
        return {Kind::kInstance, Instance(), {}};
    }
  }
  ast::Term Term(int depth) {
    using Kind = ast::TermNode::Kind;
    if (depth == 0 || Below(3) == 0) return {Operand()};
    const Kind kind = static_cast<Kind>(static_cast<int>(Kind::kNegate) + Below(9));
    ast::Term term = Term(depth - 1);
    if (kind != Kind::kNegate) {
      const ast::Term right = Term(depth - 1);
      term.insert(term.end(), right.begin(), right.end());
    }
    term.push_back({kind, {}, {}});
    return term;
  }
  ast::Condition Condition(bool code) {
    switch (Below(code ? 7 : 6)) {
      case 0:
        return {Below(2) == 0, {}};
      case 1:
        return {ast::IsTest{Instance(), Below(2) == 0, ValueNames(), {}}, {}};
      case 2:
      case 3:
        return {ast::TermComparison{Term(3), static_cast<CompareOp>(Below(6)), Term(3)}, {}};
      case 4:
        return {ast::IsTest{Instance(), Below(2) == 0, {}, Numbers()}, {}};
      case 5:
        return {Instance(), {}};
      default:
        return {Code(), {}};
    }
  }
  ast::Formula Formula(bool code, int depth = 2) {
    ast::Formula formula;
    const int kind = depth == 0 ? 0 : Below(6);
    if (kind <= 1) {
      formula.condition = Condition(code);
      return formula;
    }
    formula.kind = static_cast<ast::Formula::Kind>(kind - 1);
    const bool pair = formula.kind == ast::Formula::Kind::kImplies;
    const bool single = formula.kind == ast::Formula::Kind::kNot;
    const int parts = single ? 1 : pair ? 2 : 2 + Below(2);
    for (int i = 0; i < parts; ++i) {
      formula.parts.push_back(Formula(code, depth - 1));
    }
    return formula;
  }
  std::vector<ast::Quantifier> Quantifiers() {
    return Some(3, 0, [&] {
      ast::Quantifier q{Some(3, 1, [&] { return VarName(); }), false, SetRef(), std::nullopt};
      q.ascending = q.names.size() > 1 && Below(2) == 0;
      if (Below(4) == 0) q.where = Formula(true);
      return q;
    });
  }
  ast::Constraint Constraint() {
    // Between clauses there is no separator: what would go on with the next is in parentheses.
    return {Quantifiers(), Some(3, 0, [&] { return Formula(true); }), {}};
  }
  std::vector<ast::Key> Keys() {
    return Some(3, 0, [&] {
      ast::Key key{Pick({"item_type", "reverse", "iterator"}), std::nullopt, Code()};
      if (Below(3) == 0) key.forall = VarDef();
      return key;
    });
  }
  std::vector<ast::Name> Disjoint() {
    return Some(2, 0, [&] { return SetName(); });
  }
  ast::EnumItem EnumItem() {
    const auto requirements = [&] { return Some(2, 0, [&] { return Constraint(); }); };
    switch (Below(4)) {
      case 0:
        return ast::ValueItem{DocText(), ValueName(), requirements()};
      case 1:
        return ast::AliasItem{DocText(), ValueName(), ValueNames(), requirements()};
      case 2:
        return ast::SymmetricItem{};
      default:
        return ast::AntisymmetricItem{Some(2, 0,
                                           [&] {
                                             return ast::InversePair{ValueName(), ValueName()};
                                           }),
                                      {}};
    }
  }

  // Not of numbers alone, which are read as such.
  std::vector<ast::Span> Spans() {
    std::vector<ast::Span> spans = Some(2, 0, [&] {
      return ast::Span{Term(2), Below(2) == 0 ? std::optional(Term(2)) : std::nullopt};
    });
    spans.push_back({{{ast::TermNode::Kind::kCode, Pick({"most", "let"}), {}}}, Term(1)});
    return spans;
  }

  ast::Statement Statement() {
    switch (Below(12)) {
      case 0: {
        ast::SetDecl set{DocText(), SetName(), std::nullopt, std::nullopt, Disjoint(), Keys()};
        const int kind = Below(4);
        if (kind == 0) {
          set.disjoint.clear();
          set.keys.clear();
          set.numbers = ast::Span{Term(2), Term(2)};
          return set;
        }
        if (Below(2) == 0) set.parameter = VarDef();
        if (Below(2) == 0) set.superset = SetRef();
        if (kind == 1) {
          set.disjoint.clear();
          set.keys.clear();
          set.given = true;
        }
        return set;
      }
      case 1: {
        ast::QuotientDecl quotient;
        quotient.doc = DocText();
        quotient.canonical = Below(2) == 0;
        quotient.name = SetName();
        quotient.item = VarDef();
        quotient.flag = ChoiceName();
        quotient.equivalence = ChoiceName();
        quotient.values = ValueNames();
        quotient.disjoint = Disjoint();
        quotient.keys = Keys();
        if (Below(2) == 0) quotient.parameter = VarDef();
        if (Below(2) == 0) quotient.dividend = Formula(true);
        return quotient;
      }
      case 2:
        return ast::EnumDecl{DocText(), ChoiceName(), VarDefs(),
                             Some(4, 0, [&] { return EnumItem(); })};
      case 3:
        if (Below(2) == 0) return ast::IntegerDecl{DocText(), ChoiceName(), VarDefs(), Numbers()};
        if (Below(2) == 0) return ast::IntegerDecl{DocText(), ChoiceName(), VarDefs(), Spans()};
        return ast::IntegerDecl{DocText(), ChoiceName(), VarDefs(), Code()};
      case 4: {
        ast::CounterDecl counter;
        counter.doc = DocText();
        counter.visibility = static_cast<Visibility>(Below(3));
        counter.name = ChoiceName();
        counter.arguments = VarDefs();
        if (Below(2) == 0) counter.base = Code();
        if (Below(4) == 0) counter.base = ast::WrittenNumber{Pick({"0", "12"}), Below(2) == 0};
        if (Below(6) == 0) counter.base = Instance();
        if (Below(6) == 0) counter.base = Pick({"most", "min", "host"});
        counter.over = Quantifiers();
        counter.product = Below(2) == 0;
        counter.weight = Term(2);
        counter.when = Some(2, 0, [&] { return Formula(true); });
        return counter;
      }
      case 5: {
        ast::RequireDecl require{DocText(), std::nullopt, Constraint(), {}};
        if (Below(2) == 0) require.label = ChoiceName();
        return require;
      }
      case 6:
        return ast::LetDecl{DocText(), ChoiceName(), VarDefs(), Formula(false)};
      case 7: {
        ast::ExternDecl external{DocText(), Below(2) == 0, ChoiceName(), {}, {}, {}};
        external.arguments = VarDefs();
        if (!external.constant && Below(2) == 0) external.present = SetRef();
        if (Below(2) == 0) external.code = Code();
        if (external.constant && !external.code && Below(2) == 0) {
          external.number = ast::WrittenNumber{Pick({"0", "12"}), Below(2) == 0};
        }
        return external;
      }
      case 8:
        return ast::DecideDecl{Some(3, 1, [&] { return ChoiceName(); }), {}};
      case 9:
        return ast::ObjectiveDecl{Below(2) == 0, Term(3), {}};
      case 10:
        return ast::LowerBoundDecl{Pick({"ns", "us", "x"}), Term(3), {}};
      default: {
        ast::TriggerDecl trigger{
            Below(2) == 0, std::nullopt, Quantifiers(), std::nullopt, Code(), Formula(true), {}};
        if (Below(2) == 0) trigger.label = ChoiceName();
        if (Below(2) == 0) trigger.adds = Some(2, 1, [&] { return SetName(); });
        return trigger;
      }
    }
  }

  std::mt19937 random_;
};

TEST(Print, RandomTreesSurvive) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const ast::File file = RandomTree(seed).File();
    const std::string text = Print(file);
    ASSERT_TRUE(file == ParseText("random.exh", text)) << "seed " << seed << "\n" << text;
  }
}

}  // namespace
}  // namespace exh::dsl
