// SPDX-License-Identifier: MIT
//
// Every record of the log, by its list of fields: what is written is read, and docs/log.md knows
// it.
#include "search/log/log_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/search/temp_folder.h"
#include "tests/support/tree.h"

namespace exh::search {
namespace {

using testing::HasSubstr;

/// Gives every field a value that is not its default.
struct Filler {
  void Set(bool& value) { value = true; }
  void Set(std::string& value) { value = "x"; }
  void Set(kernels::Verdict& value) { value = kernels::Verdict::kSlow; }
  void Set(PathStep& value) { value = {4, 2}; }
  void Set(TimePair& value) { value = {8, 9}; }
  void Set(LoggedRange& value) { value = {3, 99}; }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void Set(Number& value) { value = 7; }
  template <typename Value>
  void Set(std::vector<Value>& list) {
    Set(list.emplace_back());
  }
  void Set(std::map<std::string, std::string, std::less<>>& map) { map["y"] = "x"; }
  void Set(auto& map) { map["y"] = 5; }

  void Field(const char*, auto& value) { Set(value); }
  void Optional(const char*, auto& value) { Set(value); }
  void When(bool, const char*, auto& value) { Set(value); }
  void Finite(const char*, double& value) { Set(value); }
  void Object(const char*, const auto& fields) { fields(*this); }
  void Rest(auto& members) { members["limit"] = "[1,2]"; }
};

/// The names of all fields, those of objects as well.
struct Names {
  std::vector<std::string> names;

  void Field(const char* key, const auto&) { names.emplace_back(key); }
  void Optional(const char* key, const auto&) { names.emplace_back(key); }
  void When(bool, const char* key, const auto&) { names.emplace_back(key); }
  void Finite(const char* key, double) { names.emplace_back(key); }
  void Object(const char* key, const auto& fields) {
    names.emplace_back(key);
    fields(*this);
  }
  void Rest(const auto&) {}
};

TEST(LogJson, EveryFieldThatIsWrittenIsRead) {
  ForEachRecord([]<typename Record>() {
    Record filled;
    Filler filler;
    Fields<Record>::Visit(filler, filled);
    const Json json = ToJson(filled);
    Names names;
    Fields<Record>::Visit(names, filled);
    for (const std::string& name : names.names) {
      EXPECT_THAT(json.dump(), HasSubstr('"' + name + "\":")) << Fields<Record>::kType;
    }
    Record read;
    EXPECT_NE(ToJson(read), json);
    FromJson(json, read);
    EXPECT_EQ(ToJson(read), json);
  });
}

TEST(LogJson, EveryFieldIsInTheDocument) {
  const std::string page = ReadAll(std::string(kSourceDir) + "/docs/log.md");
  const auto section = [&](const std::string& type) {
    const std::size_t begin = page.find("\n### " + type + "\n");
    EXPECT_NE(begin, page.npos) << type;
    return page.substr(begin, page.find("\n##", begin + 4) - begin);
  };
  ForEachRecord([&]<typename Record>() {
    const std::string type = Fields<Record>::kType;
    const std::string text = section(type);
    // A yardstick has fields of an evaluation, and the page says so.
    const bool is_like_eval = std::is_same_v<Record, ReferenceRecord>;
    const std::string known = is_like_eval ? text + section("eval") : text;
    Names names;
    const Record record;
    Fields<Record>::Visit(names, record);
    for (const std::string& name : names.names) {
      if (name == "dt") continue;  // In all of them; the page says so above.
      const bool is_there = known.find('`' + name + '`') != known.npos ||
                            known.find('"' + name + "\":") != known.npos;
      EXPECT_TRUE(is_there) << type << " has '" << name << "', of which its section says nothing";
    }
  });
}

TEST(LogJson, WhatALineLacksHasItsDefault) {
  RunRecord run;
  FromJson(Json{{"t", "run"}, {"space", {{"name", "s"}}}, {"policy", nullptr}}, run);
  EXPECT_EQ(run.space, "s");
  EXPECT_EQ(run.decisions, "paper");  // Of programs from before there were others.
  EXPECT_EQ(run.policy, "random");
  EXPECT_EQ(run.screen, 1);
}

TEST(LogRecords, SettingsOfOlderLogsGoWhereTheyAreNow) {
  RunRecord fused;
  fused.kernel = "fused";
  fused.text = "{}";
  fused.sizes = {{"leaves", 4}};
  BringUpToDate(fused);
  EXPECT_EQ(fused.subject, "fused");
  EXPECT_TRUE(fused.sizes.empty());
  EXPECT_EQ(fused.settings.at("leaves"), 4);

  RunRecord program;
  program.kernel = "functional";
  program.text = "size n";
  program.sizes = {{"n", 8}, {"rule:strict", 1}};
  BringUpToDate(program);
  EXPECT_EQ(program.subject, "functional");
  EXPECT_EQ(program.sizes.size(), 1u);
  EXPECT_EQ(program.settings.at("strict"), 1);

  RunRecord kernel;
  kernel.kernel = "axpy";
  kernel.sizes = {{"n", 8}};
  BringUpToDate(kernel);
  EXPECT_EQ(kernel.subject, "");
  EXPECT_EQ(kernel.sizes.size(), 1u);
}

}  // namespace
}  // namespace exh::search
