// SPDX-License-Identifier: MIT
//
// Files with trees of maps: each mistake is named with its place, and with what would be right.
#include "functional/lift/tree_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "examples/lift/trees.h"

namespace exh::lift {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json MapNamed(const std::string& name, const json& parent) {
  return {{"name", name},     {"parent", parent}, {"may_fuse", false}, {"perfect_in_parent", false},
          {"private", false}, {"local", false}};
}

/// A chain of three.
json Chain() {
  return {{"maps", {MapNamed("a", nullptr), MapNamed("b", "a"), MapNamed("c", "b")}}};
}

std::string Message(const std::string& text) {
  try {
    ReadTree(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string MessageOf(const std::function<void(json&)>& change) {
  json tree = Chain();
  change(tree);
  return Message(tree.dump());
}

TEST(LiftTreeFile, IsReadAsItStands) {
  json tree = Chain();
  tree["maps"][2]["may_fuse"] = true;
  tree["maps"][2]["perfect_in_parent"] = true;
  tree["maps"][1]["private"] = true;
  tree["maps"][0]["local"] = true;
  tree["maps"][0]["artifact_number"] = nullptr;
  tree["counts"] = {{"maps", 9}, {"concrete", 3}, {"chains", 1}, {"with_nested", 2}};
  tree["source"] = "here";
  tree["manual_mapping"] = {{"b", 20}, {"a", {0, 30}}};
  const TreeFile read = ReadTree(tree.dump());
  ASSERT_EQ(read.maps.size(), 3u);
  EXPECT_EQ(read.maps[2], (Map{2, "c", 1, true, true, false, false}));
  EXPECT_EQ(read.maps[1], (Map{1, "b", 0, false, false, true, false}));
  EXPECT_EQ(read.maps[0], (Map{0, "a", std::nullopt, false, false, false, true}));
  EXPECT_EQ(read.all_maps, 9u);
  EXPECT_EQ(read.source, "here");
  ASSERT_EQ(read.mappings.size(), 1u);
  EXPECT_EQ(read.mappings[0].codes.size(), 2u);
  EXPECT_EQ(read.mappings[0].codes[0].first, 0u);
  EXPECT_THAT(read.mappings[0].codes[0].second, ElementsAre(0u, 30u));
  EXPECT_EQ(Message(examples::ConvolutionTree()), "");
  EXPECT_EQ(Message(examples::ListingTree()), "");
}

TEST(LiftTreeFile, ParentsMayComeLater) {
  json tree = {{"maps", {MapNamed("c", "b"), MapNamed("b", "a"), MapNamed("a", nullptr)}}};
  EXPECT_EQ(ReadTree(tree.dump()).maps[0].parent, 1u);
}

TEST(LiftTreeFile, NamesWhatIsWrongWithTheTree) {
  EXPECT_THAT(Message("{"), HasSubstr("it is no JSON: line 1"));
  EXPECT_THAT(Message("[]"), HasSubstr("the whole must be an object with 'maps'"));
  EXPECT_THAT(Message("{}"), HasSubstr("'maps' is missing"));
  EXPECT_EQ(Message(R"({"maps": []})"), "'maps' must be a list of 1 to 300, it has 0");
  EXPECT_THAT(MessageOf([](json& tree) { tree["maps"] = 3; }), HasSubstr("'maps' must be a list"));
  EXPECT_THAT(MessageOf([](json& tree) { tree["mapps"] = 3; }),
              HasSubstr("unknown key 'mapps'; did you mean 'maps'?"));
  EXPECT_EQ(MessageOf([](json& tree) { tree["maps"][2]["parent"] = "bb"; }),
            "'maps[2].parent': unknown map 'bb'; did you mean 'b'?");
  EXPECT_EQ(MessageOf([](json& tree) { tree["maps"][2]["parent"] = 1; }),
            "'maps[2].parent' must be the name of a map, or null, not 1");
  EXPECT_EQ(MessageOf([](json& tree) { tree["maps"][2]["name"] = "a"; }),
            "'maps[2].name': there are two maps 'a', the other is 'maps[0]'");
  EXPECT_THAT(MessageOf([](json& tree) { tree["maps"][2]["name"] = "a b"; }),
              HasSubstr("'maps[2].name' must be a name without blanks"));
  EXPECT_EQ(
      MessageOf([](json& tree) { tree["maps"][0]["parent"] = "c"; }),
      "'maps[0].parent': a map cannot be in itself: 'a' in 'c' in 'b' in 'a'; the parent of an "
      "outermost map is null");
  EXPECT_THAT(MessageOf([](json& tree) { tree["maps"][2]["parent"] = "c"; }),
              HasSubstr("'maps[2].parent': a map cannot be in itself: 'c' in 'c'"));
  // A circle beside what leads into it.
  EXPECT_THAT(MessageOf([](json& tree) { tree["maps"][1]["parent"] = "c"; }),
              HasSubstr("'maps[1].parent': a map cannot be in itself: 'b' in 'c' in 'b'"));
  EXPECT_THAT(MessageOf([](json& tree) { tree["maps"][0]["parent"] = "a"; }),
              HasSubstr("'maps[0].parent'"));
}

TEST(LiftTreeFile, NamesWhatIsWrongWithFlags) {
  for (const std::string key : {"may_fuse", "perfect_in_parent", "private", "local"}) {
    EXPECT_THAT(MessageOf([&](json& tree) { tree["maps"][1].erase(key); }),
                HasSubstr("'maps[1]." + key + "' is missing"));
    EXPECT_EQ(MessageOf([&](json& tree) { tree["maps"][1][key] = 1; }),
              "'maps[1]." + key + "' must be true or false, not 1");
  }
  for (const std::string key : {"may_fuse", "perfect_in_parent"}) {
    EXPECT_EQ(MessageOf([&](json& tree) { tree["maps"][0][key] = true; }),
              "'maps[0]." + key + "' must be false: 'a' has no parent");
  }
  EXPECT_EQ(MessageOf([](json& tree) {
              tree["maps"][1]["perfect_in_parent"] = true;
              tree["maps"][2]["parent"] = "a";
            }),
            "'maps[1].perfect_in_parent' must be false: 'a' has 'c' in it as well");
}

TEST(LiftTreeFile, NamesWhatIsWrongWithTheRest) {
  EXPECT_EQ(MessageOf([](json& tree) {
              tree["counts"] = {{"chains", 2}};
            }),
            "'counts.chains' is 2, but of the maps it is 1");
  EXPECT_THAT(MessageOf([](json& tree) {
                tree["counts"] = {{"maps", 2}};
              }),
              HasSubstr("'counts.maps' must be a whole number from 3"));
  EXPECT_THAT(MessageOf([](json& tree) {
                tree["counts"] = {{"chain", 1}};
              }),
              HasSubstr("unknown key 'counts.chain'; legal: maps, chains"));
  EXPECT_EQ(MessageOf([](json& tree) {
              tree["manual_mapping"] = {{"dddd", 0}};
            }),
            "'manual_mapping.dddd': unknown map 'dddd'; legal: a, b, c");
  EXPECT_EQ(MessageOf([](json& tree) {
              tree["manual_mapping"] = {{"a", 3}};
            }),
            "'manual_mapping.a' must be 0 to 2, 10 to 12, 20 to 22 or 30 to 32, not 3");
  EXPECT_THAT(MessageOf([](json& tree) {
                tree["manual_mapping"] = {{"a", "V"}};
              }),
              HasSubstr("'manual_mapping.a' must be 0 to 2, 10 to 12"));
  EXPECT_THAT(MessageOf([](json& tree) {
                tree["manual_mapping"] = {{"a", json::array()}};
              }),
              HasSubstr("'manual_mapping.a' must be a list of 1 to 12"));
  const auto with_mapping = [](const char* mapping) {
    return MessageOf([&](json& tree) { tree["mappings"] = json::array({json::parse(mapping)}); });
  };
  EXPECT_THAT(with_mapping(R"({"name": "m", "codes": {"a": -1}})"),
              HasSubstr("'mappings[0].codes.a' must be 0 to 2"));
  EXPECT_THAT(with_mapping(R"({"name": "m"})"), HasSubstr("'mappings[0].codes' is missing"));
  EXPECT_EQ(MessageOf([](json& tree) { tree["maps"][0]["may_vectorise"] = true; }),
            "'maps[0].may_vectorise' must be false: 'a' has 'b' in it");
  EXPECT_THAT(MessageOf([](json& tree) { tree["source"] = 5; }),
              HasSubstr("'source' must be a text, not 5"));
}

}  // namespace
}  // namespace exh::lift
