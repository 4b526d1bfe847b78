// SPDX-License-Identifier: MIT
#include "kernels/devices/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "kernels/devices/cpu/detect.h"
#include "tests/kernels/codegen/temporary_folder.h"
#include "tests/support/tree.h"

namespace exh::kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Device, HostIsDetected) {
  const DeviceResult result = LoadDevice("cpu");
  ASSERT_TRUE(result.device) << result.error;
  const ir::Device& device = *result.device;
  EXPECT_EQ(device.name, "cpu");
  EXPECT_EQ(device.max_threads, 1U);
  EXPECT_EQ(device.threads, DetectCores());
  EXPECT_EQ(device.shared_bytes, DetectL2Bytes() / 2);
  EXPECT_EQ(device.vector_sizes.back(), DetectVectorFloats());
  EXPECT_EQ(device.vector_sizes.front(), 2U);
  EXPECT_THAT(device.cache_flags, ElementsAre("CACHE_DEFAULT", "NO_CACHE"));
  // All but a few of 16 vectors, or of 32.
  const std::uint32_t widest = device.vector_sizes.back();
  EXPECT_TRUE(device.max_registers == 13 * widest || device.max_registers == 28 * widest)
      << device.max_registers;
  EXPECT_EQ(device.block_registers, device.max_registers);
  EXPECT_THAT(device.across_blocks, ElementsAre("SECOND_LAUNCH"));
}

TEST(Device, EveryFieldMayBeOverridden) {
  const DeviceResult result = LoadDevice("cpu", {{"max_threads", "64"},
                                                 {"vector_sizes", "[4, 2]"},
                                                 {"shared_bytes", "1024"},
                                                 {"threads", "3"},
                                                 {"cache_flags", "[\"A\", \"B\"]"},
                                                 {"across_blocks", "[]"},
                                                 {"vector_arithmetic", "false"}});
  ASSERT_TRUE(result.device) << result.error;
  EXPECT_EQ(result.device->max_threads, 64U);
  EXPECT_THAT(result.device->vector_sizes, ElementsAre(2, 4));
  EXPECT_EQ(result.device->shared_bytes, 1024U);
  EXPECT_EQ(result.device->threads, 3U);
  EXPECT_THAT(result.device->cache_flags, ElementsAre("A", "B"));
  EXPECT_THAT(result.device->across_blocks, ElementsAre());
  EXPECT_FALSE(result.device->vector_arithmetic);
}

TEST(Device, WaysAcrossBlocksAreThoseThatThereAre) {
  const auto load = [](const char* ways) { return LoadDevice("cpu", {{"across_blocks", ways}}); };
  for (const char* bad : {"[\"ATOMIC_REDD\"]", "\"ATOMIC_RED\"", "[\"NOT_ACROSS\"]", "[1]"}) {
    EXPECT_THAT(load(bad).error,
                HasSubstr("'across_blocks' must be a list of some of ATOMIC_CAS, ATOMIC_RED, "
                          "ATOMIC_VECTOR, LAST_BLOCK, SECOND_LAUNCH, LOOK_BACK, CLUSTER, got "))
        << bad;
  }
  const DeviceResult result = load("[\"SECOND_LAUNCH\", \"ATOMIC_RED\"]");
  ASSERT_TRUE(result.device) << result.error;
  EXPECT_THAT(result.device->across_blocks, ElementsAre("SECOND_LAUNCH", "ATOMIC_RED"));
}

TEST(Device, ResolvedDeviceReadsBack) {
  const kernels::testing::TemporaryFolder folder;
  const DeviceResult host = LoadDevice("cpu", {{"max_threads", "16"}});
  ASSERT_TRUE(host.device);
  const std::string text = DeviceToJson(*host.device);
  std::ofstream(folder.path() + "/resolved.json") << text;
  const DeviceResult again = LoadDeviceFrom(folder.path(), "cpu");
  ASSERT_TRUE(again.device) << again.error;
  EXPECT_EQ(DeviceToJson(*again.device), text);
  EXPECT_THAT(text, ::testing::Not(HasSubstr("detect")));
}

TEST(Device, MistakesNameTheNearestLegalName) {
  EXPECT_THAT(LoadDevice("cpuu").error, HasSubstr("unknown device 'cpuu'; did you mean 'cpu'?"));
  EXPECT_THAT(LoadDevice("cpu", {{"max_thread", "2"}}).error,
              HasSubstr("unknown field of a device 'max_thread'; did you mean 'max_threads'?"));
  EXPECT_THAT(LoadDevice("cpu", {{"max_threads", "-1"}}).error,
              HasSubstr("'max_threads' must be a whole number of at least 1, got -1"));
  EXPECT_THAT(LoadDevice("cpu", {{"max_threads", "many"}}).error, HasSubstr("got \"many\""));
  EXPECT_THAT(LoadDevice("cpu", {{"threads", "99999999999"}}).error, HasSubstr("'threads' must"));
  EXPECT_THAT(LoadDevice("cpu", {{"max_unroll", "detect"}}).error,
              HasSubstr("'max_unroll' cannot be detected"));
  EXPECT_THAT(LoadDevice("cpu", {{"vector_sizes", "[3]"}}).error, HasSubstr("powers of two"));
}

TEST(Device, ThePapersDeviceIsForCountingOnly) {
  const DeviceResult k4000 = LoadDevice("k4000");
  ASSERT_TRUE(k4000.device) << k4000.error;
  EXPECT_FALSE(k4000.device->runs);
  EXPECT_EQ(k4000.device->max_threads, 1024U);
  EXPECT_EQ(k4000.device->shared_bytes, 48U << 10);
  EXPECT_THAT(k4000.device->vector_sizes, ElementsAre(2, 4));
  EXPECT_TRUE(LoadDevice("cpu").device->runs);
}

TEST(Device, TheArchitectureNamesACapability) {
  EXPECT_EQ(LoadDevice("h200").device->capability(), 90);
  EXPECT_EQ(LoadDevice("k4000").device->capability(), 30);
  EXPECT_EQ(LoadDevice("hip-text").device->capability(), 0);
  EXPECT_EQ(LoadDevice("cpu").device->capability(), 0);
  const DeviceResult later =
      LoadDevice("h200", {{"architecture", "\"sm_100a\""}, {"tensor_units", "[]"}});
  ASSERT_TRUE(later.device) << later.error;
  EXPECT_EQ(later.device->capability(), 100);
}

TEST(Device, AreFoundWhereverTheProgramIs) {
  const kernels::testing::TemporaryFolder folder;
  const auto at = [&](const std::string& path) { return folder.path() + "/" + path; };
  const std::string program = at("bin/search"), sources = at("sources");
  EXPECT_EQ(DeviceFolderOf(program, sources), sources);  // What a message names.
  std::filesystem::create_directories(at("devices"));
  EXPECT_EQ(DeviceFolderOf(program, sources), at("devices"));  // The build folder was moved.
  std::filesystem::create_directories(sources);
  EXPECT_EQ(DeviceFolderOf(program, sources), sources);
  std::filesystem::create_directories(at("share/exhaust/devices"));
  EXPECT_EQ(DeviceFolderOf(program, sources), at("share/exhaust/devices"));
}

TEST(Device, OneThatSaysNothingOfReductionsDividesNone) {
  const kernels::testing::TemporaryFolder folder;
  std::string text = DeviceToJson(*LoadDevice("h200").device);
  const std::size_t begin = text.find("  \"across_blocks\"");
  ASSERT_NE(begin, text.npos);
  text.erase(begin, text.find(']', begin) + 3 - begin);  // With its comma, and the line's end.
  std::ofstream(folder.path() + "/old.json") << text;
  const DeviceResult old = LoadDeviceFrom(folder.path(), "h200");
  ASSERT_TRUE(old.device) << old.error;
  EXPECT_THAT(old.device->across_blocks, ElementsAre());
}

TEST(Device, OneThatSaysNothingOfRingsHasNone) {
  const ir::Device cpu = *LoadDevice("cpu").device, h200 = *LoadDevice("h200").device;
  EXPECT_EQ(cpu.max_stages, 1U);
  EXPECT_FALSE(cpu.async_copies);
  EXPECT_EQ(cpu.resident_blocks, 1U);
  EXPECT_EQ(h200.max_stages, 4U);
  EXPECT_TRUE(h200.async_copies);
  EXPECT_EQ(h200.resident_blocks, 4U);
  EXPECT_THAT(DeviceToJson(cpu), ::testing::Not(HasSubstr("max_stages")));
}

TEST(Device, BulkCopiesAreOfGpusThatHaveThem) {
  const DeviceResult h200 = LoadDevice("h200", {{"tensor_units", "[]"}});
  ASSERT_TRUE(h200.device) << h200.error;
  EXPECT_TRUE(h200.device->bulk_copies);
  EXPECT_THAT(DeviceToJson(*h200.device), HasSubstr("\"bulk_copies\": true"));
  EXPECT_FALSE(LoadDevice("k4000").device->bulk_copies);
  EXPECT_THAT(DeviceToJson(*LoadDevice("k4000").device), ::testing::Not(HasSubstr("bulk_copies")));
  EXPECT_EQ(LoadDevice("k4000", {{"bulk_copies", "true"}}).error,
            "device option bulk_copies: bulk copies need sm_90 or later, the device is sm_30");
  for (const auto& [device, language] :
       {std::pair("cpu", "c++"), {"hip-text", "hip"}, {"opencl-text", "opencl"}}) {
    EXPECT_EQ(LoadDevice(device, {{"bulk_copies", "true"}}).error,
              std::string("device option bulk_copies: there are no bulk copies in code whose "
                          "language is ") +
                  language);
  }
  EXPECT_THAT(LoadDevice("h200", {{"bulk_copies", "1"}}).error,
              HasSubstr("'bulk_copies' must be true or false, got 1"));
  // In a file, too.
  const kernels::testing::TemporaryFolder folder;
  std::string text = DeviceToJson(*h200.device);
  text.replace(text.find("sm_90"), 5, "sm_89");
  std::ofstream(folder.path() + "/a.json") << text;
  EXPECT_THAT(LoadDeviceFrom(folder.path(), "h200").error,
              HasSubstr("a.json: 'bulk_copies': bulk copies need sm_90 or later"));
}

// The copy beside the programs is what the sources say.
TEST(Device, TheBuildFolderHasThem) {
  for (const char* const file : {"h200.json", "host.json", "k4000.json", "rates/h200.json"}) {
    const std::string built = std::string(kBinaryDir) + "/devices/" + file;
    ASSERT_TRUE(std::filesystem::exists(built)) << built;
  }
  EXPECT_TRUE(LoadDeviceFrom(std::string(kBinaryDir) + "/devices", "h200").device.has_value());
}

TEST(Device, DamagedFiles) {
  const kernels::testing::TemporaryFolder folder;
  EXPECT_THAT(LoadDeviceFrom(folder.path(), "cpu").error, HasSubstr("no device in"));
  EXPECT_THAT(LoadDeviceFrom(folder.path() + "/none", "cpu").error, HasSubstr("cannot list"));
  std::ofstream(folder.path() + "/a.json") << "{\"name\": \"cpu\", \"max_threads\": 2}";
  EXPECT_THAT(LoadDeviceFrom(folder.path(), "cpu").error, HasSubstr("is missing"));
  std::ofstream(folder.path() + "/a.json") << "{\"name\": \"cpu\", \"max_threds\": 2}";
  EXPECT_THAT(LoadDeviceFrom(folder.path(), "cpu").error,
              HasSubstr("unknown field of a device 'max_threds'; did you mean 'max_threads'?"));
  std::ofstream(folder.path() + "/a.json") << "{";
  EXPECT_THAT(LoadDeviceFrom(folder.path(), "cpu").error, HasSubstr("a.json is not a device"));
}

}  // namespace
}  // namespace exh::kernels
