// SPDX-License-Identifier: MIT
#include "generator/plan/names.h"

#include <gtest/gtest.h>

#include "generator/generator.h"

namespace exh::generator {
namespace {

TEST(Names, Case) {
  EXPECT_EQ(CamelCase("dim_kind"), "DimKind");
  EXPECT_EQ(CamelCase("order"), "Order");
  EXPECT_EQ(CamelCase("foo_1"), "Foo1");
  EXPECT_EQ(SnakeCase("TileDims"), "tile_dims");
  EXPECT_EQ(SnakeCase("S0x"), "s0x");
  EXPECT_EQ(SnakeCase("New"), "new_");
}

TEST(Names, KeywordsMacrosAndDigitsAreMadeLegal) {
  EXPECT_EQ(Identifier("default"), "default_");
  EXPECT_EQ(Identifier("requires"), "requires_");
  EXPECT_EQ(Identifier("NULL"), "NULL_");
  EXPECT_EQ(Identifier("my-space"), "my_space");
  EXPECT_EQ(Identifier("2d"), "_2d");
  EXPECT_EQ(SpaceNameOf("a/b/stencil.exh"), "stencil");
}

TEST(Names, CollisionsAreNumberedInOrder) {
  NameScope scope;
  scope.Reserve("View");
  EXPECT_EQ(scope.Unique("Foo1"), "Foo1");
  EXPECT_EQ(scope.Unique("Foo1"), "Foo1_2");
  EXPECT_EQ(scope.Unique("Foo1"), "Foo1_3");
  EXPECT_EQ(scope.Unique("View"), "View_2");
}

TEST(Names, Literals) {
  EXPECT_EQ(Quoted("a \"b\" \\ c\n"), "\"a \\\"b\\\" \\\\ c\\n\"");
}

}  // namespace
}  // namespace exh::generator
