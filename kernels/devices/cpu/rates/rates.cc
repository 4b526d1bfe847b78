// SPDX-License-Identifier: MIT
#include "kernels/devices/cpu/rates/rates.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "base/system/user_file.h"
#include "kernels/devices/device.h"
#include "kernels/devices/rates/kept.h"

namespace exh::kernels::cpu {
namespace {

using Json = nlohmann::ordered_json;

/// Hardware that is shared with other machines is not always as fast: within two hours the clock of
/// one was 3.45 to 3.70 GHz, and what went through its caches differed by a quarter. Pipes are
/// whole: what is seen of them is a little less than what they do.
constexpr double kClockMargin = 1.1, kPipeMargin = 1.02, kCacheMargin = 1.3;

/// Of the first processor in /proc/cpuinfo: "model name" and the like.
std::map<std::string, std::string> ReadProcessor() {
  std::map<std::string, std::string> values;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    values[std::string(Trim(line.substr(0, colon)))] = Trim(line.substr(colon + 1));
  }
  return values;
}

std::string Today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

/// What other programs may take of the cores while they are measured: ticks of 10 ms are rough.
constexpr double kBusyShare = 0.1;

/// Does another program want a core, in most of a few moments?
bool IsBusy() {
  constexpr int kMoments = 5;
  int busy = 0;
  for (int moment = 0; moment < kMoments; ++moment) {
    int running = 0;  // With this thread, behind three averages: "0.10 0.20 0.30 2/81 4711".
    std::ifstream file("/proc/loadavg");
    std::string word;
    for (int i = 0; i < 3; ++i) file >> word;
    file >> running;
    busy += running > 1 ? 1 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
  }
  return 2 * busy > kMoments;
}

/// Core seconds that all programs but this one had, or that no program could have, since the
/// machine was started.
double OthersSeconds() {
  std::ifstream file("/proc/stat");
  std::string cpu;
  file >> cpu;
  // user nice system idle iowait irq softirq steal
  constexpr int kValues = 8, kIdle = 3, kWait = 4;
  double ticks = 0;
  for (int i = 0; i < kValues; ++i) {
    double value = 0;
    file >> value;
    if (i != kIdle && i != kWait) ticks += value;
  }
  timespec own{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)) - static_cast<double>(own.tv_sec) -
         1e-9 * static_cast<double>(own.tv_nsec);
}

/// Threads share what lies behind their caches.
std::string KeptAs(const ir::Device& device) {
  return fmt::format("{}, {} threads", device.model, device.threads);
}

/// Throws UsageError.
void Write(const std::string& text, const std::string& file) {
  // Another run may be at it: whoever ends last is right, and nobody reads half of it.
  const std::string written = fmt::format("{}.{}", file, ::getpid());
  std::ofstream out(written);
  out << text;
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(written, file, error);
  if (!out || error) throw UsageError(fmt::format("cannot write '{}'", file));
}

}  // namespace

std::string ProcessorModel() {
  if (!CanMeasureSpeed()) return "";
  std::map<std::string, std::string> values = ReadProcessor();
  std::string name = values["model name"];
  if (name.empty()) return "";
  return fmt::format("{}, family {} model {} stepping {}, microcode {}", name, values["cpu family"],
                     values["model"], values["stepping"], values["microcode"]);
}

std::string RatesFileOf(const ir::Device& device) {
  return KeptRatesFile(KeptAs(device));
}

std::string RatesToJson(const ProcessorSpeed& speed, const ir::Device& device,
                        const std::string& recorded) {
  Json object = Json::parse(recorded);
  Json& values = object["values"];
  const auto say = [&](const char* name, const char* unit, double value, std::string source) {
    values[name] = {
        {"value", value}, {"unit", unit}, {"source", "measured, with a margin: " + source}};
  };
  say("clock", "GHz", speed.clock_ghz * kClockMargin,
      "fastest of many moments, each of many steps of a cycle that wait for each other");
  say("fma", "1/clk/unit", speed.fma_per_clk * kPipeMargin,
      "vectors of products with a sum, in twelve chains");
  Json& sweeps = values["sweeps"];
  sweeps = {
      {"value", Json::array()},
      {"unit", "B, GB/s, GB/s"},
      {"source", "measured, with a margin: all threads, the fastest mix of reads and writes"}};
  for (const Sweep& sweep : speed.sweeps) {
    sweeps["value"].push_back(
        {sweep.bytes, sweep.gbs * kCacheMargin, sweep.read_gbs * kCacheMargin});
  }
  object["name"] = device.name;
  object["model"] = device.model;
  object["source"] = fmt::format("measured on {} threads of {}", device.threads, device.model);
  object["date"] = Today();
  // In the order in which a reader has them, which is that of their names.
  object["xxh3"] = CacheKey(nlohmann::json(values).dump());
  return object.dump(2) + "\n";
}

std::string SpeedTextOf(const ir::Device& device) {
  if (!CanMeasureSpeed()) {
    throw UsageError(
        "only processors with AVX2 or AVX-512 are measured; others have recorded rates");
  }
  const bool is_busy = IsBusy();
  const ProcessorSpeed speed = MeasureSpeed(device.threads);
  const std::string model = ProcessorModel();
  std::string text =
      fmt::format("{}, {} threads\n", model.empty() ? "processor" : model, device.threads);
  if (is_busy) text += "other programs want its cores: it is faster than this\n";
  const auto say = [&](const std::string& name, double value, const char* unit, const char* how) {
    text += fmt::format("  {:<20} {:>10.4g} {:<8} {}\n", name, value, unit, how);
  };
  say("clock", speed.clock_ghz, "GHz", "steps of one cycle that wait for each other");
  say("fma_per_clk", speed.fma_per_clk, "1/clk", "products with a sum, f32, of one thread");
  say("peak", 2 * speed.clock_ghz * speed.fma_per_clk * device.threads, "GFLOP/s", "all threads");
  for (const Sweep& sweep : speed.sweeps) {
    say(fmt::format("sweep of {:.3g} MB", sweep.bytes / 1e6), sweep.gbs, "GB/s",
        fmt::format("again and again, reads and writes; of reads {:.4g}", sweep.read_gbs).c_str());
  }
  return text;
}

bool MeasureRatesOf(const ir::Device& device) {
  if (device.model.empty() || device.model != ProcessorModel() || IsBusy()) return false;
  try {
    const std::string recorded = ReadUserFile(DeviceFolder() + "/rates/" + device.name + ".json");
    const std::string file = MakeKeptRatesFile(KeptAs(device));
    const double others = OthersSeconds();
    const auto start = std::chrono::steady_clock::now();
    const ProcessorSpeed speed = MeasureSpeed(device.threads);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (OthersSeconds() - others > kBusyShare * taken.count() * device.threads) return false;
    Write(RatesToJson(speed, device, recorded), file);
    fmt::print(stderr,
               "search: measured how fast this processor can be at most, for lower bounds, once, "
               "in {:.1f} s: {}\n",
               taken.count(), file);
    return true;
  } catch (const UsageError& error) {
    // A search does without: it has the recorded rates.
    fmt::print(stderr, "search: how fast this processor can be is not measured: {}\n",
               error.what());
    return false;
  }
}

}  // namespace exh::kernels::cpu
