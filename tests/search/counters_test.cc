// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "search/counters/counter_table.h"

namespace exh::search {
namespace {

using kernels::CounterReading;

const CounterReading kReading = {
    "Nsight Compute",
    "this GPU has no lts__t_bytes.sum",
    {{"dram_bytes", 1048576, "bytes", "dram__bytes.sum"},
     {"ns", 12500, "ns", "gpu__time_duration.sum"},
     {"f32_adds", 100, "of threads", "fadd"},
     {"f32_fmas", 50, "of threads", "ffma"},
     {"static_shared_bytes", 1024, "bytes of a block", "static"},
     {"dynamic_shared_bytes", 512, "bytes of a block", "dynamic"},
     {"unit_instructions", 300, "of warps of the busiest unit", "sm__inst_executed.max"},
     {"unknown", 7, "things", "nobody knows"}}};

const Foretold kForetold = {{{"dram_bytes", 1e6}, {"ns", 10000}},
                            {{"ns", 25000}, {"unit_instructions", 400}, {"registers", 64}}};

const CounterRow* Find(const CounterTable& table, const std::string& what) {
  for (const CounterRow& row : table.rows) {
    if (row.what == what) return &row;
  }
  return nullptr;
}

TEST(CounterTable, HasWhatWasCountedBesideWhatWasForetold) {
  const CounterTable table = TableOf(kReading, kForetold);
  const CounterRow* const memory = Find(table, "main memory");
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory->counted, 1048576);
  EXPECT_EQ(memory->least, 1e6);
  EXPECT_EQ(memory->guessed, std::nullopt);
  EXPECT_EQ(memory->source, "dram__bytes.sum");
  EXPECT_EQ(Find(table, "time")->guessed, 25000);
  // What was foretold and not counted is no row, and neither is what has no name.
  EXPECT_EQ(Find(table, "registers"), nullptr);
  EXPECT_EQ(table.rows.size(), 5);
}

TEST(CounterTable, AddsUpWhatComesInParts) {
  const CounterTable table = TableOf(kReading, {});
  EXPECT_EQ(Find(table, "operations of numbers, without matrix units")->counted, 200);
  EXPECT_EQ(Find(table, "shared memory of a block")->counted, 1536);
  EXPECT_EQ(
      TableOf({"x", "", {{"floats_1", 3, "", ""}, {"floats_16", 2, "", ""}}}, {}).rows[0].counted,
      35);
  // Without its parts there is no sum.
  EXPECT_TRUE(TableOf({"x", "", {{"f32_fma", 1, "", ""}}}, kForetold).rows.empty());
}

TEST(CounterTable, AsText) {
  const std::string text = CountersText(TableOf(kReading, kForetold));
  const auto has = [&](const char* words) { return text.find(words) != std::string::npos; };
  EXPECT_TRUE(has("one run, counted by Nsight Compute, beside what was foretold:\n")) << text;
  EXPECT_TRUE(has("1.049e+06      1e+06          -    1.05x  bytes; dram__bytes.sum\n")) << text;
  EXPECT_TRUE(has("   12.5 us    10.0 us    25.0 us    0.50x  ns; gpu__time_duration.sum\n"))
      << text;
  EXPECT_TRUE(has("not counted: this GPU has no lts__t_bytes.sum\n")) << text;
  EXPECT_EQ(CountersText(TableOf({"", "no ncu", {}}, kForetold)), "no counters: no ncu\n");
}

TEST(CounterTable, AsJson) {
  CounterReading reading = kReading;
  reading.why = "\"</script>\xff";
  const auto json = nlohmann::json::parse(CountersJson(TableOf(reading, kForetold), 17));
  EXPECT_EQ(json["record"], 17);
  EXPECT_EQ(json["tool"], "Nsight Compute");
  EXPECT_EQ(json["why"], "\"</script>\xef\xbf\xbd");
  ASSERT_EQ(json["rows"].size(), 5);
  EXPECT_EQ(json["rows"][0], nlohmann::json::parse(R"({"what": "time", "unit": "ns",
      "source": "gpu__time_duration.sum", "counted": 12500.0, "least": 10000.0,
      "guessed": 25000.0})"));
  EXPECT_TRUE(json["rows"][2]["guessed"].is_null());
}

}  // namespace
}  // namespace exh::search
