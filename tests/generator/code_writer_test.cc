// SPDX-License-Identifier: MIT
#include "generator/code_writer.h"

#include <gtest/gtest.h>

namespace exh::generator {
namespace {

TEST(CodeWriter, ScopesIndentAndClose) {
  CodeWriter out;
  {
    auto space = out.Namespace("exh");
    auto body = out.Block("struct A", ";");
    out.Line("int {};", "x");
  }
  EXPECT_EQ(out.text(), "namespace exh {\nstruct A {\n  int x;\n};\n}  // namespace exh\n");
  EXPECT_EQ(out.next_line(), 6);
}

TEST(CodeWriter, RawTextCountsItsLines) {
  CodeWriter out;
  out.Raw("a\nb");
  EXPECT_EQ(out.next_line(), 3);
}

TEST(CodeWriter, CallsBreakBeforeColumn100) {
  CodeWriter out;
  const std::string wide(40, 'x');
  out.Call("void F", {"int a"}, ";");
  out.Call("void F", {wide, wide, wide}, ";");
  out.Call(std::string(80, 'f'), {wide}, ";");
  std::istringstream lines(out.text());
  std::string line;
  while (std::getline(lines, line)) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_TRUE(
      out.text().starts_with("void F(int a);\nvoid F(" + wide + ", " + wide + ",\n       "));
}

TEST(CodeWriter, PositionsStandAtTheMargin) {
  CodeWriter out;
  out.Doc("What it is.", "a.exh:1");
  out.Doc("", "a.exh:2");
  out.Doc(std::string(120, 'w'), "a.exh:3");
  EXPECT_EQ(out.text().find('\n'), 100u);
  EXPECT_TRUE(out.text().starts_with("/// What it is.   "));
  EXPECT_NE(out.text().find("a.exh:3\n"), std::string::npos);
}

TEST(CodeWriter, LongCommentsHang) {
  CodeWriter out;
  std::string text = "  start";
  for (int i = 0; i < 30; ++i) text += " word" + std::to_string(i);
  out.Comment(text);
  EXPECT_TRUE(out.text().starts_with("//   start"));
  EXPECT_NE(out.text().find("\n//     word"), std::string::npos);
}

}  // namespace
}  // namespace exh::generator
