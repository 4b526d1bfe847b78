// SPDX-License-Identifier: MIT
#include "models/device_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/devices/backend.h"
#include "tests/support/tree.h"

namespace exh::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const std::string kFolder = std::string(kSourceDir) + "/kernels/devices/rates";

TEST(DeviceRates, EveryDeviceHasThem) {
  for (const char* name : {"cpu", "h200", "hip-text", "k4000", "opencl-text"}) {
    kernels::DeviceResult device = kernels::LoadDevice(name);
    ASSERT_TRUE(device.device) << device.error;
    device.device->model.clear();  // Of this machine nothing need have been measured.
    const RatesResult result =
        LoadRates(kernels::BackendOf(*device.device).RatesFile(*device.device), *device.device);
    ASSERT_TRUE(result.rates) << result.error;
    EXPECT_GT(result.rates->memory_gbs, 0);
  }
}

TEST(DeviceRates, UnitsOfAProcessorAreItsThreads) {
  kernels::ir::Device device;
  device.name = "cpu";
  device.threads = 6;
  EXPECT_EQ(LoadRates(kFolder + "/cpu.json", device).rates->units, 6);
  device.name = "h200";
  EXPECT_EQ(LoadRates(kFolder + "/h200.json", device).rates->units, 132);
}

/// The error for a file of the H200 that `change` was done to.
template <typename Change>
std::string ErrorOf(Change change) {
  const fs::path folder = fs::path(testing::TempDir()) / "exh_rates";
  fs::create_directories(folder);
  json object = json::parse(std::ifstream(kFolder + "/h200.json"));
  change(object);
  const fs::path file = folder / "h200.json";
  std::ofstream(file) << object.dump();
  kernels::ir::Device device;
  device.name = "h200";
  return LoadRates(file.string(), device).error;
}

/// Bytes, GB/s and GB/s of reads.
json Sweeps(json rows) {
  return {{"value", std::move(rows)}, {"unit", "B, GB/s, GB/s"}, {"source", "somebody"}};
}

TEST(DeviceRates, ASweepHoldsForWhatIsLarger) {
  DeviceRates rates;
  EXPECT_EQ(SweepOf(rates, 1e9), nullptr);
  rates.sweeps = {{100, 50, 40}, {200, 20, 10}};
  EXPECT_EQ(SweepOf(rates, 99), nullptr);
  EXPECT_EQ(SweepOf(rates, 100)->gbs, 50);
  EXPECT_EQ(SweepOf(rates, 199)->gbs, 50);
  EXPECT_EQ(SweepOf(rates, 1e9)->gbs, 20);
}

TEST(DeviceRates, SweepsAreRead) {
  EXPECT_EQ(ErrorOf([](json& o) { o["values"]["sweeps"] = Sweeps({{1, 2, 1}, {3, 2, 1}}); }), "");
  EXPECT_EQ(ErrorOf([](json& o) {
              o["values"]["sweeps"] = Sweeps({{1, 2, 1, 2}, {3, 2, 1, 1}});
            }),
            "");
  for (const json& bad :
       {json({{1, 2, 1}, {1, 2, 1}}), json({{1, 2, 1}, {3, 4, 1}}), json({{1, 2, 1}, {3, 2, 2}}),
        json({{1, 0, 1}}), json({{1, 1, 0}}), json({{1, 1, 1, 0}}),
        json({{1, 2, 1, 1}, {3, 2, 1, 2}}), json({{1, 2}}), json({1, 2, 3}), json(7)}) {
    EXPECT_THAT(ErrorOf([&](json& o) { o["values"]["sweeps"] = Sweeps(bad); }),
                HasSubstr("'sweeps' must be"))
        << bad;
  }
  EXPECT_THAT(ErrorOf([](json& o) { o["values"]["sweeps"] = json::array(); }),
              HasSubstr("'sweeps' must be"));
}

TEST(DeviceRates, WhatIsAbsentBoundsNothing) {
  for (const char* name :
       {"units_bytes", "conversions", "specials", "launch_gap", "launch_gap_read", "half_unit",
        "double_unit", "memory_third", "sweeps"}) {
    EXPECT_EQ(ErrorOf([&](json& o) { o["values"].erase(name); }), "") << name;
  }
}

TEST(DeviceRates, MistakesAreNamed) {
  EXPECT_EQ(ErrorOf([](json&) {}), "");
  EXPECT_THAT(ErrorOf([](json& o) { o["version"] = 2; }), HasSubstr("'version' must be 1"));
  EXPECT_THAT(ErrorOf([](json& o) { o["name"] = "h100"; }), HasSubstr("'name' must be 'h200'"));
  EXPECT_THAT(ErrorOf([](json& o) { o["values"].erase("fma"); }), HasSubstr("'fma' is missing"));
  EXPECT_THAT(ErrorOf([](json& o) { o["values"]["fma"]["unit"] = "GHz"; }),
              HasSubstr("'fma' must be in '1/clk/unit'"));
  EXPECT_THAT(ErrorOf([](json& o) { o["values"]["clock"]["value"] = 0; }),
              HasSubstr("'clock' must be a number"));
  EXPECT_THAT(ErrorOf([](json& o) { o["values"]["clock"].erase("source"); }),
              HasSubstr("does not say its source"));
  EXPECT_THAT(ErrorOf([](json& o) { o["values"]["tensor"] = 1; }), HasSubstr("no rate 'tensor'"));
  kernels::ir::Device device;
  device.name = "abacus";
  EXPECT_THAT(LoadRates(kFolder + "/abacus.json", device).error, HasSubstr("abacus.json"));
}

}  // namespace
}  // namespace exh::models
