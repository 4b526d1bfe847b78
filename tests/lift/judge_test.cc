// SPDX-License-Identifier: MIT
//
// Mappings that people proposed, and what the published trees say.
#include "functional/lift/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "examples/lift/trees.h"
#include "functional/lift/tree_file.h"
#include "search/exact/exact_count.h"

namespace exh::lift {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(LiftTrees, TheConvolutionIsAsPublished) {
  const TreeFile tree = ReadTree(examples::ConvolutionTree());
  const TreeCounts counts = CountsOf(MakeProgram(tree.maps, {}));
  EXPECT_EQ(counts.concrete, 43u);
  EXPECT_EQ(counts.with_nested, 34u);
  EXPECT_EQ(counts.chains, 9u);
  EXPECT_EQ(counts.private_maps, 32u);
  EXPECT_EQ(counts.local_maps, 11u);
  EXPECT_EQ(tree.all_maps, 209u);
  int may_fuse = 0;
  for (const Map& map : tree.maps) may_fuse += map.may_fuse;
  EXPECT_EQ(may_fuse, 30);
}

TEST(LiftTrees, RunsArePerfectNests) {
  const TreeFile tree = ReadTree(examples::ConvolutionTree());
  Rules rules;
  const Program direct = MakeProgram(tree.maps, rules);
  rules.through_fused = true;
  const Program through = MakeProgram(tree.maps, rules);
  // 25 maps are perfect in their parents.
  EXPECT_THAT(direct.runs, SizeIs(25));
  EXPECT_GT(through.runs.size(), direct.runs.size());
  for (const lift::Run& run : through.runs) {
    for (std::size_t i = 1; i < run.maps.size(); ++i) {
      EXPECT_EQ(tree.maps[run.maps[i]].parent, run.maps[i - 1]);
      EXPECT_TRUE(tree.maps[run.maps[i]].is_perfect);
    }
  }
}

/// By mapping, the requirements that refuse it.
std::map<std::string, std::vector<std::string>> JudgeTable(const Rules& rules) {
  const TreeFile tree = ReadTree(examples::ListingTree());
  std::map<std::string, std::vector<std::string>> refused;
  for (const Mapping& mapping : tree.mappings) {
    const Judgement verdict = Judge(tree.maps, rules, mapping);
    EXPECT_EQ(verdict.candidate.has_value(), verdict.requirements.empty()) << mapping.name;
    // They say something of all maps.
    if (verdict.candidate) {
      EXPECT_TRUE(verdict.candidate->IsImplementation()) << mapping.name;
    }
    refused[mapping.name] = verdict.requirements;
  }
  return refused;
}

TEST(LiftMappings, OfTable1AreJudgedAsThere) {
  Rules rules;
  rules.fusion = false;  // The table leaves sequential loops as they are.
  auto refused = JudgeTable(rules);
  EXPECT_THAT(refused, SizeIs(6));
  for (const char* valid : {"M1", "M4", "M6"}) EXPECT_THAT(refused[valid], IsEmpty()) << valid;
  EXPECT_THAT(refused["M2"], ElementsAre("local_scope"));
  EXPECT_THAT(refused["M3"], ElementsAre("local_scope", "local_has_its_group"));
  EXPECT_THAT(refused["M5"], ElementsAre("may_vectorise"));
}

TEST(LiftMappings, OfTable1WithTheHeuristic) {
  auto refused = JudgeTable({});
  EXPECT_THAT(refused["M1"], ElementsAre("fusion"));
  for (const char* valid : {"M4", "M6"}) EXPECT_THAT(refused[valid], IsEmpty()) << valid;
}

TEST(LiftMappings, OfTable1WithTheStrictRule) {
  Rules rules;
  rules.fusion = false;
  rules.strict = true;
  auto refused = JudgeTable(rules);
  EXPECT_THAT(refused["M1"], ElementsAre("local_has_a_group"));
  for (const char* valid : {"M4", "M6"}) EXPECT_THAT(refused[valid], IsEmpty()) << valid;
}

TEST(LiftMappings, ThatOfTheConvolutionByHandIsValid) {
  const TreeFile tree = ReadTree(examples::ConvolutionTree());
  ASSERT_THAT(tree.mappings, SizeIs(1));
  for (const bool published : {false, true}) {
    Rules rules;
    rules.strict = rules.whole_nest = published;
    const Judgement verdict = Judge(tree.maps, rules, tree.mappings[0]);
    ASSERT_TRUE(verdict.candidate.has_value());
    // And there are ways to map what it says nothing of.
    search::ExactCounter counter(verdict.candidate->shared_instance(), {});
    EXPECT_GT(counter.Count(*verdict.candidate).count, 0);
  }
}

/// A perfect nest of three, whose ends run in sequence, with the middle on threads: the published
/// code refuses it, and what looks through fused maps alone does not.
TEST(LiftMappings, FusionIsReadInThreeWays) {
  constexpr const char* kTree = R"({"maps": [
    {"name": "a", "parent": null, "may_fuse": false, "perfect_in_parent": false, "private": false, "local": false},
    {"name": "b", "parent": "a", "may_fuse": true, "perfect_in_parent": true, "private": false, "local": false},
    {"name": "c", "parent": "b", "may_fuse": true, "perfect_in_parent": true, "private": false, "local": false}],
    "mappings": [
      {"name": "threads", "codes": {"a": 0, "b": 30, "c": 0}},
      {"name": "fused", "codes": {"a": 0, "b": 1, "c": 0}},
      {"name": "next", "codes": {"a": 30, "b": 0, "c": 0}}]})";
  const TreeFile tree = ReadTree(kTree);
  Rules direct, through, nests;
  through.through_fused = true;
  nests.whole_nest = true;
  const auto refused = [&](const Rules& rules, int mapping) {
    return Judge(tree.maps, rules, tree.mappings[static_cast<std::size_t>(mapping)]).requirements;
  };
  EXPECT_THAT(refused(direct, 0), IsEmpty());
  EXPECT_THAT(refused(through, 0), IsEmpty());
  EXPECT_THAT(refused(nests, 0), ElementsAre("fusion_of_nests"));
  EXPECT_THAT(refused(direct, 1), IsEmpty());
  EXPECT_THAT(refused(through, 1), ElementsAre("fusion"));
  EXPECT_THAT(refused(nests, 1), ElementsAre("fusion_of_nests"));
  EXPECT_THAT(refused(direct, 2), ElementsAre("fusion"));
  EXPECT_THAT(refused(nests, 2), ElementsAre("fusion_of_nests"));
}

TEST(LiftMappings, EachRuleIsNamed) {
  constexpr const char* kTree = R"({"maps": [
    {"name": "a", "parent": null, "may_fuse": false, "perfect_in_parent": false, "private": false, "local": false},
    {"name": "b", "parent": "a", "may_fuse": true, "perfect_in_parent": true, "private": false, "local": false},
    {"name": "c", "parent": "b", "may_fuse": false, "perfect_in_parent": false, "private": true, "local": false},
    {"name": "d", "parent": "b", "may_fuse": false, "perfect_in_parent": false, "private": false, "local": false}],
    "mappings": [
      {"name": "private_scope", "codes": {"a": 0, "b": 1, "c": 30, "d": 30}},
      {"name": "no_duplicate", "codes": {"a": 30, "b": 30, "c": 0, "d": 0}},
      {"name": "groups_have_locals", "codes": {"a": 20, "b": 0, "c": 0, "d": 0}},
      {"name": "hierarchy", "codes": {"a": 10, "b": 20, "c": 0, "d": 0}},
      {"name": "exhaustive", "codes": {"a": 0, "b": 1, "c": 0, "d": 30}},
      {"name": "fusion", "codes": {"a": 0, "b": 0, "c": 0, "d": 0}}]})";
  const TreeFile tree = ReadTree(kTree);
  for (const Mapping& mapping : tree.mappings) {
    const Judgement verdict = Judge(tree.maps, {}, mapping);
    EXPECT_THAT(verdict.requirements, ElementsAre(mapping.name));
  }
}

TEST(LiftMappings, NamesTheRuleForBothLevelsAtOnce) {
  Mapping mapping;
  mapping.codes = {{0, {30}}, {1, {20}}, {2, {10}}};
  std::vector<Map> maps(3);
  for (std::size_t i = 0; i < 3; ++i) {
    maps[i].id = i;
    maps[i].name_ = std::string(1, static_cast<char>('a' + i));
    if (i > 0) maps[i].parent = i - 1;
  }
  EXPECT_THAT(Judge(maps, {}, mapping).requirements, ElementsAre("global_alone"));
  // It is no rule that can be dropped.
  mapping.codes = {{1, {1}}};
  const Judgement verdict = Judge(maps, {}, mapping);
  EXPECT_FALSE(verdict.candidate.has_value());
  EXPECT_THAT(verdict.requirements, ElementsAre("may_fuse"));
}

}  // namespace
}  // namespace exh::lift
