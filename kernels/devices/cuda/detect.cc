// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/detect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/cache_folder.h"
#include "base/system/process.h"
#include "kernels/devices/rates/kept.h"
#include "kernels/ir/function.h"
#include "kernels/ir/target.h"

namespace exh::kernels::cuda {
namespace {

/// The driver, or a line that says what to do.
DriverOrProblem LoadDriver() {
  DriverOrProblem loaded = Driver::Load(Driver::LibraryNames());
  if (loaded.driver && loaded.driver->Devices().empty()) {
    return {std::nullopt, "the driver shows no GPU that answers"};
  }
  return loaded;
}

std::string NoGpu(const std::string& why) {
  return fmt::format("--device cuda: {}; --device cpu runs without a GPU", why);
}

}  // namespace

std::string ModelOf(const DeviceFacts& facts, const Driver& driver) {
  return fmt::format("{}, driver {}", facts.name, driver.version());
}

std::vector<GpuHere> GpusHere() {
  std::vector<GpuHere> gpus;
  const auto [driver, problem] = LoadDriver();
  if (!driver) return gpus;
  for (const DeviceFacts& facts : driver->Devices()) {
    gpus.push_back({facts.ordinal, ModelOf(facts, *driver)});
  }
  return gpus;
}

DeviceResult LimitsOf(const DeviceFacts& facts, const std::string& model) {
  // NVRTC compiles for nothing older than these, and what is the same of all of them is known.
  constexpr int kOldest = 5;
  if (facts.capability_major < kOldest) {
    return {std::nullopt, fmt::format("{} is of architecture {}; sm_{}0 or later is needed",
                                      facts.name, facts.architecture(), kOldest)};
  }
  if (facts.threads_per_block <= 0 || facts.registers_per_block <= 0 || facts.shared_bytes == 0) {
    return {std::nullopt, fmt::format("{} does not tell its limits", facts.name)};
  }
  ir::Device device;
  device.architecture = facts.architecture();
  device.model = model;
  device.max_threads = static_cast<std::uint32_t>(facts.threads_per_block);
  device.max_registers = 255;
  device.block_registers = static_cast<std::uint32_t>(facts.registers_per_block);
  device.vector_sizes = {2, 4};
  device.shared_bytes = static_cast<std::uint32_t>(facts.shared_bytes);
  for (const std::string_view flag :
       {ir::kCacheDefault, ir::kCacheGlobal, ir::kCacheReadOnly, ir::kNoCache}) {
    device.cache_flags.emplace_back(flag);
  }
  for (const std::string_view way : {ir::kPad4Bytes, ir::kPad16Bytes, ir::kPad64Bytes, ir::kXor}) {
    device.skews.emplace_back(way);
  }
  constexpr int kVectorAtomics = 9;  // Adds of several floats at once: sm_90.
  constexpr int kRelaxed = 7;        // Loads and stores with an order: sm_70.
  for (const std::string_view way : {ir::kAtomicCas, ir::kAtomicRed, ir::kAtomicVector,
                                     ir::kLastBlock, ir::kSecondLaunch, ir::kLookBack}) {
    if (way == ir::kAtomicVector && facts.capability_major < kVectorAtomics) continue;
    if (way == ir::kLookBack && facts.capability_major < kRelaxed) continue;
    device.across_blocks.emplace_back(way);
  }
  // Clusters of 8 blocks are everywhere, those of 16 on GPUs of data centres.
  constexpr int kClusters = 9, kFewBlocks = 8, kManyBlocks = 16, kOthers = 12;
  if (facts.capability_major >= kClusters) {
    device.across_blocks.emplace_back(ir::kCluster);
    device.max_cluster = facts.capability_major < kOthers ? kManyBlocks : kFewBlocks;
  }
  constexpr int kAsyncCopies = 8;  // sm_80. Rings that pass registers are worth two slots.
  device.async_copies = facts.capability_major >= kAsyncCopies;
  device.max_stages = device.async_copies ? 4 : 2;
  device.resident_blocks = 4;
  device.multiprocessors = static_cast<std::uint32_t>(facts.multiprocessors);
  // What later ones do of doubles is a small part of what they do of floats.
  constexpr int kFastDoubles = 9;
  if (facts.capability_major == kFastDoubles) device.tensor_units.emplace_back(ir::kDmma);
  constexpr int kNarrow = 8;  // mma.sync of 16 x 8 x 16 of f16, bf16 and i8: sm_80.
  if (facts.capability_major >= kNarrow) {
    device.tensor_units.emplace_back(ir::kMma);
    device.tensor_units.emplace_back(ir::kImma);
  }
  constexpr int kFloatsOf8Bits = 89;  // mma.sync of 16 x 8 x 32 of f8e4m3 and f8e5m2: sm_89.
  if (device.capability() >= kFloatsOf8Bits) device.tensor_units.emplace_back(ir::kQmma);
  // Rows of whole matrices (ldmatrix), groups of four warps (wgmma), which later ones do not have,
  // and bulk copies (TMA). All three were measured on 9.0.
  constexpr int kGroups = 90;
  if (device.capability() == kGroups) {
    device.matrix_reads = true;
    device.tensor_units.emplace_back(ir::kWgmma);
    device.bulk_copies = true;
  }
  return {std::move(device), ""};
}

DeviceResult DetectGpu(int ordinal) {
  const auto [driver, problem] = LoadDriver();
  if (!driver) return {std::nullopt, NoGpu(problem)};
  const std::vector<DeviceFacts> gpus = driver->Devices();
  const auto gpu = std::ranges::find(gpus, ordinal, &DeviceFacts::ordinal);
  if (gpu == gpus.end()) {
    std::vector<int> known;
    for (const DeviceFacts& facts : gpus) known.push_back(facts.ordinal);
    return {std::nullopt, fmt::format("--gpu {}: the driver shows no such GPU; there is {}",
                                      ordinal, fmt::join(known, ", "))};
  }
  DeviceResult result = LimitsOf(*gpu, ModelOf(*gpu, *driver));
  if (!result.device) result.error = NoGpu(result.error);
  return result;
}

int FindGpu(const std::string& model) {
  const auto [driver, problem] = LoadDriver();
  std::string here = problem;
  if (driver) {
    std::vector<std::string> models;
    for (const DeviceFacts& facts : driver->Devices()) {
      models.push_back(ModelOf(facts, *driver));
      if (models.back() == model) return facts.ordinal;
    }
    here = fmt::format("here is {}", fmt::join(models, "; "));
  }
  throw UsageError(
      fmt::format("the rates of '{}' were not measured on this machine: {}", model, here));
}

void MeasureRatesOf(const std::string& model, const std::string& name) {
  const int ordinal = FindGpu(model);
  const std::string file = MakeKeptRatesFile(model);
  fmt::print(
      stderr,
      "search: measuring how fast {} can be at most, for lower bounds: once for this driver, "
      "it takes some seconds\n",
      model);
  ProcessRequest request;
  request.argv = {ThisProgram(), "characterize", "--quick", "--gpu", std::to_string(ordinal),
                  "--name",      name,           "--out",   file};
  constexpr double kPatience = 120;  // Of a GPU that is busy, too.
  request.timeout_s = kPatience;
  const ProcessResult result = RunProcess(request);
  if (!result.ok()) {
    const std::string why(Trim(result.err));
    throw UsageError(fmt::format("the rates of '{}' could not be measured: {}", model,
                                 !why.empty()            ? why
                                 : !result.error.empty() ? result.error
                                                         : "its process did not end well"));
  }
  fmt::print(stderr, "search: measured in {:.1f} s, kept in {}\n", result.wall_ms / 1e3, file);
}

}  // namespace exh::kernels::cuda
