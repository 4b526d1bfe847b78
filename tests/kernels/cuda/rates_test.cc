// SPDX-License-Identifier: MIT
//
// What a lower bound divides by, from what was measured in a moment.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kernels/devices/cuda/probes/characterize.h"
#include "kernels/devices/cuda/probes/sweeps.h"
#include "tests/support/tree.h"

namespace exh::kernels {
namespace {

using nlohmann::json;

json H200() {
  return json::parse(std::ifstream(std::string(kSourceDir) + "/kernels/devices/rates/h200.json"));
}

/// What a quick measurement of an H200 has seen in the worst case: of each rate the slowest of all
/// samples that were ever taken, of each latency the middle one.
std::vector<Characteristic> WorstSamples() {
  std::vector<Characteristic> found;
  const json h200 = H200();
  for (const auto& [name, measured] : h200.at("measured").items()) {
    Characteristic one{name, measured.at("unit"), measured.at("source")};
    one.less_is_faster = name.ends_with("_latency");
    if (measured.contains("samples")) {
      one.samples = {measured.at(one.less_is_faster ? "median" : "least").get<double>()};
    } else {
      one.fact = measured.at("fastest");
    }
    found.push_back(std::move(one));
  }
  return found;
}

// A bound that divides by them lies below the one of the recorded rates, which is known to hold.
TEST(QuickRates, AreFasterThanWhatWasRecorded) {
  const json quick =
      json::parse(RatesToJson({.name = "x"}, WorstSamples(), MarginsOf(Care::kQuick)))["values"];
  const json recorded = H200().at("values");
  for (const char* rate :
       {"clock", "fma", "issues", "unit_bytes", "accesses", "memory", "memory_third"}) {
    EXPECT_GE(quick.at(rate).at("value"), recorded.at(rate).at("value")) << rate;
  }
  for (const char* latency : {"fma_latency", "read_latency", "shared_latency"}) {
    EXPECT_LE(quick.at(latency).at("value"), recorded.at(latency).at("value")) << latency;
    EXPECT_GT(quick.at(latency).at("value"), 0) << latency;
  }
}

// It would not do with the margins of many samples.
TEST(QuickRates, NeedTheirMargins) {
  const json values =
      json::parse(RatesToJson({.name = "x"}, WorstSamples(), MarginsOf(Care::kFull)))["values"];
  EXPECT_LT(values.at("fma").at("value"), H200().at("values").at("fma").at("value"));
}

TEST(QuickRates, AreThoseOfTheClockThatTheGpuCanReach) {
  Characteristic clock{"clock", "MHz", ""}, peak{"peak_clock", "MHz", ""};
  clock.samples = {1200};  // It had idled.
  peak.fact = 1980;
  const json values = json::parse(RatesToJson({.name = "x"}, {clock, peak}, Margins{}))["values"];
  EXPECT_DOUBLE_EQ(values.at("clock").at("value").get<double>(), 1.001 * 1.98);
}

Characteristic Of(const std::string& name, std::vector<double> samples) {
  Characteristic one{name, "", ""};
  one.samples = std::move(samples);
  return one;
}

TEST(Rates, AreNoMoreThanWhatTheArchitectureHas) {
  Characteristic lanes{"fp32_lanes", "1/clk", "it is known"};
  lanes.fact = 128;
  const auto fma = [&](double measured, bool is_known) {
    std::vector<Characteristic> all = {Of("fma_per_clk", {measured})};
    if (is_known) all.push_back(lanes);
    return json::parse(RatesToJson({.name = "x"}, all, Margins{}))["values"]["fma"];
  };
  EXPECT_DOUBLE_EQ(fma(127, false)["value"], 1.02 * 127);
  EXPECT_EQ(fma(127, true)["value"], 128);
  EXPECT_EQ(fma(127, true)["source"].get<std::string>().find("it is known; measured"), 0u);
  EXPECT_DOUBLE_EQ(fma(100, true)["value"], 102);
}

TEST(Rates, OfSweepsNeverGrowWithTheirBytes) {
  std::vector<Characteristic> all;
  const auto add = [&](int megabytes, double read, double write, double third) {
    all.push_back(Of(SweepName(megabytes, SweepKind::kRead), {1, read}));
    all.push_back(Of(SweepName(megabytes, SweepKind::kWrite), {write}));
    all.push_back(Of(SweepName(megabytes, SweepKind::kThird), {third, 2}));
  };
  add(128, 300, 200, 100);
  add(256, 150, 160, 120);
  all.push_back(Of(SweepName(512, SweepKind::kRead), {100}));  // Others of this size are missing.
  const Margins margins{.rate = 2};
  const json sweeps = json::parse(RatesToJson({.name = "x"}, all, margins))["values"]["sweeps"];
  EXPECT_EQ(sweeps["value"], json({{128e6, 600, 600, 240}, {256e6, 320, 300, 240}}));
}

}  // namespace
}  // namespace exh::kernels
