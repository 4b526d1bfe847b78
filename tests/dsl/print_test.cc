// SPDX-License-Identifier: MIT
//
// parse -> print -> parse gives an equal tree, on files and on random trees.
#include "dsl/print.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "dsl/parse.h"
#include "dsl/render.h"
#include "tests/dsl/verify.h"

namespace exh::dsl {
namespace {

ast::File ParseText(const std::string& path, const std::string& text) {
  DiagnosticSink sink;
  sink.sources().AddInMemory(path, text);
  std::string error;
  // Spaces of other repositories find those of the tree as exh_add_space lets them.
  const std::vector<std::string> folders = {std::string(EXH_SOURCE_DIR) + "/kernels/spaces"};
  ast::File file = Parse(*sink.sources().Open(path, std::nullopt, &error), folders, sink);
  EXPECT_FALSE(sink.has_errors()) << RenderText(sink) << "\nin\n" << text;
  return file;
}

TEST(Print, EveryFileOfTheTreeSurvives) {
  int files = 0;
  for (const char* folder : {"tests", "kernels", "docs"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(EXH_SOURCE_DIR) / folder)) {
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
  const std::string path = std::string(EXH_SOURCE_DIR) + "/tests/dsl/valid/every_construct.exh";
  const std::string once = Print(ParseText(path, ReadFile(path)));
  EXPECT_EQ(once, Print(ParseText("printed.exh", once)));
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

TEST(Print, CodeThatWouldContinueALineIsCut) {
  const ast::File file = ParseText("a.exh", "require \"a\\\" \"\nb\"");
  EXPECT_EQ(std::get<ast::Code>(
                std::get<ast::RequireDecl>(file.statements[0]).constraint.clauses[0][0].kind)
                .text,
            "a\\\nb");
  EXPECT_TRUE(file == ParseText("b.exh", Print(file))) << Print(file);
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
    return Pick({"order", "kind", "choice", "type", "adds", "host", "x_1"});
  }
  ast::Name SetName() { return Pick({"Dims", "S0x", "Insts"}); }
  ast::Name ValueName() { return Pick({"A", "BEFORE", "V_1"}); }
  ast::Name VarName() { return Pick({"a", "b", "fun", "0", "A_b"}); }
  std::string DocText() { return Below(2) == 0 ? "" : Pick({" Text.", "/x", " \"q\" /* "}).text; }
  ast::Code Code() {
    return {Pick({"$a.b()", "a\\\nb", " ", "x\\", "\n", "// c", "$fun->f(a, 'b')"}).text, {}, {}};
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
  ast::Condition Condition(bool code) {
    switch (Below(code ? 5 : 4)) {
      case 0:
        return {Below(2) == 0, {}};
      case 1:
        return {ast::IsTest{Instance(), Below(2) == 0, ValueNames()}, {}};
      case 2:
        return {ast::Comparison{Instance(), static_cast<CompareOp>(Below(6)), Instance()}, {}};
      case 3:  // Ends in code: nothing that starts with code may follow without a separator.
        if (code)
          return {ast::Comparison{Instance(), static_cast<CompareOp>(Below(6)), Code()}, {}};
        return {true, {}};
      default:
        return {Code(), {}};
    }
  }
  ast::Constraint Constraint() {
    // Between clauses there is no separator, so they begin and end without code.
    return {VarDefs(),
            Some(3, 0,
                 [&] {
                   std::vector<ast::Condition> clause = {Condition(false)};
                   if (Below(2) == 0) {
                     clause.push_back(Condition(true));
                     clause.push_back(Condition(false));
                   }
                   return clause;
                 }),
            {}};
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

  ast::Statement Statement() {
    switch (Below(7)) {
      case 0: {
        ast::SetDecl set{DocText(), SetName(), std::nullopt, std::nullopt, Disjoint(), Keys()};
        if (Below(2) == 0) set.parameter = VarDef();
        if (Below(2) == 0) set.superset = SetRef();
        return set;
      }
      case 1: {
        ast::QuotientDecl quotient{DocText(), SetName(),    std::nullopt, VarDef(),   ChoiceName(),
                                   {},        ChoiceName(), ValueNames(), Disjoint(), Keys()};
        if (Below(2) == 0) quotient.parameter = VarDef();
        quotient.dividend = Some(2, 0, [&] { return Condition(true); });
        return quotient;
      }
      case 2:
        return ast::EnumDecl{DocText(), ChoiceName(), VarDefs(),
                             Some(4, 0, [&] { return EnumItem(); })};
      case 3:
        return ast::IntegerDecl{DocText(), ChoiceName(), VarDefs(), Code()};
      case 4: {
        ast::CounterDecl counter;
        counter.doc = DocText();
        counter.visibility = static_cast<Visibility>(Below(3));
        counter.name = ChoiceName();
        counter.arguments = VarDefs();
        if (Below(2) == 0) counter.base = Code();
        counter.over = VarDefs();
        counter.product = Below(2) == 0;
        if (Below(2) == 0) {
          counter.weight = Code();
        } else {
          counter.weight = Instance();
        }
        counter.when = Some(2, 0, [&] { return Condition(false); });
        return counter;
      }
      case 5: {
        ast::RequireDecl require{DocText(), std::nullopt, Constraint(), {}};
        if (Below(2) == 0) require.label = ChoiceName();
        return require;
      }
      default: {
        ast::TriggerDecl trigger{std::nullopt,
                                 VarDefs(),
                                 std::nullopt,
                                 Code(),
                                 Some(2, 1, [&] { return Condition(true); }),
                                 {}};
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
