// SPDX-License-Identifier: MIT
//
// What is measured of this machine's processor, and the file that is made of it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "base/system/user_file.h"
#include "kernels/devices/cpu/rates/rates.h"
#include "kernels/devices/device.h"
#include "models/device_rates.h"
#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::cpu {
namespace {

ir::Device Processor() {
  ir::Device device;
  device.name = "cpu";
  device.model = "Abacus 3000, family 1";
  device.threads = 2;
  return device;
}

/// As a search reads the file.
models::RatesResult Written(const ProcessorSpeed& speed) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.path() + "/rates.json";
  const std::string recorded = ReadUserFile(DeviceFolder() + "/rates/cpu.json");
  std::ofstream(file) << RatesToJson(speed, Processor(), recorded);
  return models::LoadRates(file, Processor());
}

TEST(ProcessorRates, AreMeasuredWithAMarginOrRecorded) {
  const ProcessorSpeed speed{3, 32, {{1e6, 400, 300}, {4e6, 100, 50}}};
  const models::RatesResult result = Written(speed);
  ASSERT_TRUE(result.rates) << result.error;
  const models::DeviceRates& rates = *result.rates;
  EXPECT_EQ(rates.units, 2);
  EXPECT_GT(rates.clock_ghz, 3);
  EXPECT_LT(rates.clock_ghz, 3.5);
  EXPECT_GT(rates.fma_per_clk, 32);
  EXPECT_LT(rates.fma_per_clk, 34);
  EXPECT_EQ(models::SweepOf(rates, 1e5), nullptr);
  ASSERT_NE(models::SweepOf(rates, 5e6), nullptr);
  EXPECT_GT(models::SweepOf(rates, 5e6)->gbs, 100);
  EXPECT_LT(models::SweepOf(rates, 5e6)->gbs, 150);
  EXPECT_GT(models::SweepOf(rates, 5e6)->read_gbs, 50);
  EXPECT_EQ(rates.fma_latency_clk, 2);  // As recorded.
}

TEST(ProcessorRates, ThoseOfThisMachineCanBeRead) {
  if (!CanMeasureSpeed()) GTEST_SKIP() << "a processor that is not measured";
  EXPECT_NE(ProcessorModel(), "");
  EXPECT_EQ(ProcessorModel().find('\n'), std::string::npos);
  const ProcessorSpeed speed = MeasureSpeed(2);
  // Any processor that has AVX2.
  EXPECT_GT(speed.clock_ghz, 0.4);
  EXPECT_LT(speed.clock_ghz, 10);
  EXPECT_GT(speed.fma_per_clk, 1);
  EXPECT_LT(speed.fma_per_clk, 130);
  ASSERT_GT(speed.sweeps.size(), 4u);
  for (std::size_t i = 1; i < speed.sweeps.size(); ++i) {
    EXPECT_LT(speed.sweeps[i - 1].bytes, speed.sweeps[i].bytes);
    EXPECT_GE(speed.sweeps[i - 1].gbs, speed.sweeps[i].gbs);
    EXPECT_GE(speed.sweeps[i - 1].read_gbs, speed.sweeps[i].read_gbs);
    EXPECT_GE(speed.sweeps[i].gbs, speed.sweeps[i].read_gbs);
    EXPECT_GT(speed.sweeps[i].read_gbs, 0);
  }
  const models::RatesResult result = Written(speed);
  EXPECT_TRUE(result.rates) << result.error;
}

TEST(ProcessorRates, WithoutAPlaceToKeepThemASearchGoesOn) {
  if (!CanMeasureSpeed()) GTEST_SKIP() << "a processor that is not measured";
  ir::Device device = Processor();
  device.model = ProcessorModel();
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("XDG_CACHE_HOME", "/dev/null", 1);
  EXPECT_NO_THROW(EXPECT_FALSE(MeasureRatesOf(device)));
  before == nullptr ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", kept.c_str(), 1);
}

TEST(ProcessorRates, AreToldToPeople) {
  if (!CanMeasureSpeed()) GTEST_SKIP() << "a processor that is not measured";
  const std::string text = SpeedTextOf(Processor());
  EXPECT_NE(text.find("2 threads"), std::string::npos) << text;
  EXPECT_NE(text.find("GFLOP/s"), std::string::npos) << text;
  EXPECT_NE(text.find("sweep of"), std::string::npos) << text;
}

TEST(ProcessorRates, AreOfTheProcessorThatIsThere) {
  EXPECT_FALSE(MeasureRatesOf(Processor()));
  ir::Device none = Processor();
  none.model.clear();
  EXPECT_FALSE(MeasureRatesOf(none));
}

}  // namespace
}  // namespace exh::kernels::cpu
