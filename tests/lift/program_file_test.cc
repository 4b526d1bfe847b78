// SPDX-License-Identifier: MIT
//
// Trees of functional programs: those of the listings of the CC paper, and what is said of flags.
#include "functional/lift/program_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "base/error.h"
#include "examples/lift/trees.h"
#include "functional/lift/judge.h"
#include "tests/support/tree.h"

namespace exh::lift {
namespace {

using testing::HasSubstr;

TreeFile TreeOfFile(const std::string& name) {
  std::ifstream file(std::string(kSourceDir) + "/examples/lift/programs/" + name + ".fun");
  EXPECT_TRUE(file.is_open()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return ReadTreeOrProgram(text.str());
}

/// `A > {B(L) > C*(L), D}`: * may be fused and is perfect, + may be fused, P and L the memory.
std::string Drawn(const TreeFile& tree, std::optional<std::size_t> parent = std::nullopt) {
  std::string text;
  int count = 0;
  for (const Map& map : tree.maps) {
    if (map.parent != parent) continue;
    text += std::string(count++ == 0 ? "" : ", ") + map.name_;
    if (map.may_fuse) text += map.is_perfect ? "*" : "+";
    if (map.is_private) text += "P";
    if (map.is_local) text += "L";
    const std::string inner = Drawn(tree, map.id);
    if (!inner.empty()) text += " > " + inner;
  }
  return count > 1 ? "{" + text + "}" : text;
}

TEST(LiftPrograms, ListingOneIsTheTreeThatIsKnown) {
  const TreeFile known = ReadTree(examples::ListingTree());
  const TreeFile tree = TreeOfFile("listing_1");
  EXPECT_EQ(tree.maps, known.maps);
  EXPECT_TRUE(tree.mappings.empty());
  // So its mappings are judged as they are there.
  Rules rules;
  rules.fusion = false;
  for (const Mapping& mapping : known.mappings) {
    EXPECT_EQ(Judge(tree.maps, rules, mapping).requirements,
              Judge(known.maps, rules, mapping).requirements)
        << mapping.name;
  }
}

TEST(LiftPrograms, OthersHaveTheTreesThatTheirTextSays) {
  // The paper: chains (A, B) and (A, C, D), no map in B.
  EXPECT_EQ(Drawn(TreeOfFile("listing_3")), "A > {C > D*, B}");
  EXPECT_EQ(Drawn(TreeOfFile("matmul")), "rows > columns+");
  EXPECT_EQ(Drawn(TreeOfFile("convolution")),
            "rows > columns* > {copyL > copy_channels*L, kernels > {zerosP, channelsPL}}");
}

TEST(LiftPrograms, CanBeFrozen) {
  for (const char* name : {"listing_1", "listing_3", "matmul", "convolution"}) {
    EXPECT_NE(FreezeTree(TreeOfFile(name).maps, {}), nullptr) << name;
  }
}

TreeFile TreeOf(const std::string& kernel, const std::string& before = "") {
  return TreeOfProgram(before +
                       "user f(float): float\ninput x: [[float]4]8\ninput y: [float]8\n"
                       "input a: float\nkernel k = " +
                       kernel + "\n");
}

TEST(LiftPrograms, ViewsAreNoMaps) {
  EXPECT_EQ(Drawn(TreeOf("map@A(row -> map@B(f, row), map(part -> join(split(2, part)), x))")),
            "A > B*");
  EXPECT_EQ(Drawn(TreeOf("map@A(row -> map@B(f, join(split(2, row))), x)")), "A > B+");
  EXPECT_EQ(Drawn(TreeOf("map@A(row -> join(split(2, map@B(f, row))), x)")), "A > B");
  EXPECT_EQ(Drawn(TreeOf("map@A(row -> map@B(f, map@C(f, row)), x)")), "A > {C, B}");
}

TEST(LiftPrograms, WhatIsSharedIsThereOnce) {
  EXPECT_EQ(Drawn(TreeOf("map@A(row -> let c = map@B(f, row) in "
                         "map@C((p, q) -> p + q, zip(c, c)), x)")),
            "A > {B, C}");
  EXPECT_EQ(Drawn(TreeOf("both(map@A(f, y))", "def both(z) = map@B((p, q) -> p + q, zip(z, z))\n")),
            "{A, B}");
  // Each use of a function has maps of its own.
  EXPECT_EQ(Drawn(TreeOf("twice(twice(y))", "def twice(z) = map@T(e -> e + e, z)\n")), "{T, T_2}");
}

TEST(LiftPrograms, MemoryIsThatOfArgumentAndResult) {
  EXPECT_EQ(Drawn(TreeOf("map@A(f, toPrivate(map@B(f, y)))")), "{BP, AP}");
  EXPECT_EQ(Drawn(TreeOf("map@A(e -> f(toPrivate(id(e))), y)")), "A");
  EXPECT_EQ(Drawn(TreeOf("map@A((p, q) -> toGlobal(p + q), zip(y, toLocal(map@B(f, y))))")),
            "{BL, AL}");
  // As far out as an operand lies; a reduction where it begins.
  EXPECT_EQ(Drawn(TreeOf("map@A(e -> e * a, y)")), "A");
  EXPECT_EQ(
      Drawn(TreeOf("map@A(row -> toGlobal(map@B(id, reduce(toPrivate(map@C(id, fill(3, 0.0))), "
                   "(s, e) -> map@D(t -> t + e, s), row))), x)")),
      "A > {CP, DP, BP}");
}

TEST(LiftPrograms, SayHowMapsRun) {
  const TreeFile tree = TreeOf("mapWrg@A(1, row -> mapLcl@B(0, f, row), x)");
  ASSERT_EQ(tree.mappings.size(), 1u);
  EXPECT_EQ(tree.mappings[0].name, "manual");
  EXPECT_EQ(
      tree.mappings[0].codes,
      (std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>>{{0, {21}}, {1, {10}}}));
}

std::string Message(const std::string& text) {
  try {
    ReadTreeOrProgram(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LiftPrograms, WithMistakesAreRefused) {
  EXPECT_THAT(Message("input x: [float]4\nkernel k = map(idd, x)\n"),
              HasSubstr("program:2:16: error: nothing is called 'idd'"));
  EXPECT_THAT(Message("input x: [float]4\nkernel a = map(id, x)\nkernel b = map(id, a)\n"),
              HasSubstr("a mapping is of one kernel, and the program has 2: 'a', 'b'"));
  EXPECT_THAT(Message("input x: float\nkernel k = toGlobal(id(x))\n"),
              HasSubstr("has no map that writes memory"));
  EXPECT_THAT(Message("{\"maps\": 3}"), HasSubstr("'maps' must be a list"));
  EXPECT_THAT(Message(""), HasSubstr("it is no JSON"));
}

TEST(LiftPrograms, AreTreesInFilesAfterwards) {
  const TreeFile tree = TreeOfFile("convolution");
  EXPECT_EQ(ReadTree(TreeText(tree)).maps, tree.maps);
}

}  // namespace
}  // namespace exh::lift
