// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/counters/ncu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace exh::kernels::cuda {
namespace {

/// As the tool writes it with `--csv --page raw --print-units base`.
const char* const kTable =
    "==PROF== Connected to process 4711 (/usr/bin/search)\n"
    "==PROF== Profiling \"exh_fill\": 0%....50%....100% - 9 passes\n"
    "==PROF== Profiling \"exh_kernel\": 0%....50%....100% - 9 passes\n"
    "==PROF== Disconnected from process 4711\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"dram__bytes.sum\",\"gpu__time_duration.sum\","
    "\"launch__registers_per_thread\",\"sm__warps_active.avg.pct_of_peak_sustained_active\","
    "\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"byte\",\"nsecond\","
    "\"register/thread\",\"%\",\"inst\"\n"
    "\"0\",\"4711\",\"search\",\"a \"\"host\"\", or so\",\"exh_fill\",\"1\",\"7\",\"(64, 1, 1)\","
    "\"(1, 1, 1)\",\"0\",\"9.0\",\"1,024\",\"2,000\",\"16\",\"3.5\",\"0\"\n"
    "\"1\",\"4711\",\"search\",\"127.0.0.1\",\"exh_kernel\",\"1\",\"7\",\"(256, 1, 1)\","
    "\"(132, 1, 1)\",\"0\",\"9.0\",\"1,048,576\",\"10,500.5\",\"64\",\"49.75\",\"n/a\"\n";

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

double ValueOf(const CounterReading& reading, const char* key) {
  const Counter* const counter = reading.Find(key);
  return counter == nullptr ? -1 : counter->value;
}

TEST(Ncu, ReadsItsTable) {
  const NcuOutput output = ParseNcu(kTable);
  ASSERT_EQ(output.launches.size(), 2);
  EXPECT_TRUE(output.errors.empty());
  EXPECT_EQ(output.launches[0].kernel, "exh_fill");
  EXPECT_EQ(output.launches[1].kernel, "exh_kernel");
  EXPECT_EQ(output.units.at("dram__bytes.sum"), "byte");
  EXPECT_EQ(output.launches[1].values.at("dram__bytes.sum"), 1048576);
  EXPECT_FALSE(
      output.launches[1].values.contains("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"));
}

TEST(Ncu, ARunIsTheSumOfItsLaunchesButForWhatIsOfAThread) {
  const CounterReading reading = ReadingOf(ParseNcu(kTable));
  EXPECT_EQ(reading.tool, "Nsight Compute");
  EXPECT_EQ(ValueOf(reading, "dram_bytes"), 1048576 + 1024);
  EXPECT_EQ(ValueOf(reading, "ns"), 12500.5);
  EXPECT_EQ(ValueOf(reading, "registers"), 64);
  EXPECT_EQ(ValueOf(reading, "occupancy"), 49.75);
  EXPECT_EQ(reading.Find("registers")->source, "launch__registers_per_thread");
  EXPECT_EQ(reading.Find("l2_bytes"), nullptr);
  EXPECT_NE(reading.why.find("has no dram__bytes_read.sum, "), std::string::npos) << reading.why;
}

TEST(Ncu, TakesOtherUnitsAndTablesWithoutUnits) {
  const std::string scaled =
      Replaced(Replaced(kTable, "\"byte\"", "\"Kbyte\""), "\"nsecond\"", "\"usecond\"");
  const CounterReading reading = ReadingOf(ParseNcu(scaled));
  EXPECT_EQ(ValueOf(reading, "dram_bytes"), 1e3 * (1048576 + 1024));
  EXPECT_EQ(ValueOf(reading, "ns"), 1e3 * 12500.5);
  const std::string text = kTable;
  const std::size_t units = text.find("\"\",\"\"");
  const std::string without = text.substr(0, units) + text.substr(text.find('\n', units) + 1);
  EXPECT_EQ(ParseNcu(without).launches.size(), 2);
  EXPECT_EQ(ValueOf(ReadingOf(ParseNcu(without)), "registers"), 64);
  EXPECT_EQ(ParseNcu(Replaced(kTable, "\n", "\r\n")).launches.size(), 2);
}

TEST(Ncu, SaysWhatForbidsCounters) {
  const auto why = [](const std::string& text) { return ReadingOf(ParseNcu(text)).why; };
  const std::string forbidden =
      why("==PROF== Connected to process 1\n"
          "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
          "Performance Counters on the target device 0.\n");
  for (const char* word : {"ERR_NVGPUCTRPERM", "NVreg_RestrictProfilingToAdminUsers=0", "SYS_ADMIN",
                           "target device 0"}) {
    EXPECT_NE(forbidden.find(word), std::string::npos) << forbidden;
  }
  EXPECT_NE(why("==WARNING== No kernels were profiled.\n").find("No kernels were profiled"),
            std::string::npos);
  EXPECT_NE(
      why("==ERROR== Profiling failed: LibraryNotLoaded\n").find("NVIDIA_DRIVER_CAPABILITIES"),
      std::string::npos);
  EXPECT_NE(why("").find("wrote no table"), std::string::npos);
  EXPECT_TRUE(ReadingOf(ParseNcu("")).tool.empty());
}

TEST(Ncu, LeavesOutWhatAGpuDoesNotKnow) {
  const NcuOutput output = ParseNcu(
      "==ERROR== Failed to find metric dram__bytes_read.sum, lts__t_bytes.sum\n"
      "==ERROR== Something else about dram__bytes.sum\n");
  EXPECT_EQ(UnknownCounters(output),
            (std::set<std::string>{"dram__bytes_read.sum", "lts__t_bytes.sum"}));
  EXPECT_TRUE(UnknownCounters(ParseNcu(kTable)).empty());

  NcuQuestion question;
  question.launch.sides = {{.kernel = "exh_fill", .is_before = true}};
  question.runs = 2;
  question.file = "/tmp/a b.csv";
  question.without = {"lts__t_bytes.sum"};
  const std::vector<std::string> command = NcuCommand("/opt/ncu", question);
  const auto after = [&](const char* option) {
    const auto at = std::ranges::find(command, option);
    return at == command.end() ? "" : *(at + 1);
  };
  EXPECT_EQ(command[2], "/opt/ncu");
  EXPECT_EQ(after("--kernel-name"), "regex:^(exh_fill|exh_kernel)$");
  EXPECT_EQ(after("--launch-skip"), "4");
  EXPECT_EQ(after("--launch-count"), "2");
  EXPECT_EQ(after("--cache-control"), "none");
  EXPECT_EQ(after("--log-file"), "/tmp/a b.csv");
  EXPECT_EQ(after("--metrics").find("lts__t_bytes.sum"), std::string::npos);
  EXPECT_NE(after("--metrics").find(",dram__bytes.sum,"), std::string::npos);
}

/// Whatever stands in a file, nothing but numbers comes of it.
TEST(Ncu, ReadsWhatIsDamagedAsFarAsItGoes) {
  const std::string text = kTable;
  for (std::size_t end = 0; end < text.size(); end += 7) {
    const NcuOutput output = ParseNcu(text.substr(0, end));
    EXPECT_LE(output.launches.size(), 2);
    ReadingOf(output);
  }
  for (const char* garbage : {"\"Kernel Name\"\n", "\"Kernel Name\"\n\"\n", "\"\"\"\"\"\n,,,\n",
                              "\"Kernel Name\",\"dram__bytes.sum\"\n\"k\",\"1e999\"\n\"k\"\n"}) {
    for (const NcuLaunch& launch : ParseNcu(garbage).launches) {
      EXPECT_TRUE(launch.values.empty()) << garbage;
    }
  }
}

}  // namespace
}  // namespace exh::kernels::cuda
