// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/driver/driver.h"

#include <fmt/format.h>

#include <array>

#include "kernels/devices/cuda/driver/library.h"

namespace exh::kernels::cuda {
namespace {

/// The first symbol that the library lacks and may not; null when the table is full.
const char* Fill(const Library& library, DriverFunctions* functions) {
#define EXH_CUDA_OPTIONAL(name, symbol, ...) \
  functions->name = reinterpret_cast<CUresult (*)(__VA_ARGS__)>(library.Find(symbol));
#define EXH_CUDA_FUNCTION(name, symbol, ...)   \
  EXH_CUDA_OPTIONAL(name, symbol, __VA_ARGS__) \
  if (functions->name == nullptr) return symbol;
#include "kernels/devices/cuda/driver/driver_functions.inc"
#undef EXH_CUDA_FUNCTION
#undef EXH_CUDA_OPTIONAL
  return nullptr;
}

/// cuEventElapsedTime_v2 came with 12.8.
constexpr int kOldestVersion = 12080;

/// As cuDriverGetVersion counts: 12080 is "12.8".
std::string VersionText(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

std::vector<std::string> Driver::LibraryNames() {
  return {"libcuda.so.1", "libcuda.so"};
}

DriverOrProblem Driver::Load(std::span<const std::string> names) {
  const Library library = Library::Open(names);
  if (!library.is_open()) {
    return {std::nullopt, fmt::format("{} is not there: install the driver of your NVIDIA GPU",
                                      names.empty() ? "the driver" : names.front())};
  }
  Driver driver;
  const char* const missing = Fill(library, &driver.functions_);
  // An old driver lacks functions, too; its version says more.
  int version = 0;
  if (driver.functions_.cuDriverGetVersion != nullptr &&
      driver.functions_.cuDriverGetVersion(&version) == kSuccess && version < kOldestVersion) {
    return {std::nullopt,
            fmt::format("{} is a driver for CUDA {}: install one that supports CUDA {} or later",
                        library.name(), VersionText(version), VersionText(kOldestVersion))};
  }
  if (missing != nullptr) {
    return {std::nullopt,
            fmt::format("{} has no '{}': install a driver that supports CUDA {} or later",
                        library.name(), missing, VersionText(kOldestVersion))};
  }
  if (const CUresult result = driver.functions_.cuInit(0); result != kSuccess) {
    return {std::nullopt,
            fmt::format("{} cannot start: {}", library.name(), driver.ErrorText(result))};
  }
  return {driver, ""};
}

std::string Driver::version() const {
  int version = 0;
  if (functions_.cuDriverGetVersion(&version) != kSuccess) return "unknown";
  return VersionText(version);
}

std::vector<DeviceFacts> Driver::Devices() const {
  int count = 0;
  if (functions_.cuDeviceGetCount(&count) != kSuccess) return {};
  std::vector<DeviceFacts> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = 0;
    std::array<char, 256> name{};
    DeviceFacts facts;
    facts.ordinal = ordinal;
    std::size_t bytes = 0;
    const bool answers =
        functions_.cuDeviceGet(&device, ordinal) == kSuccess &&
        functions_.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device) ==
            kSuccess &&
        functions_.cuDeviceTotalMem(&bytes, device) == kSuccess &&
        functions_.cuDeviceGetAttribute(&facts.capability_major, kCapabilityMajor, device) ==
            kSuccess &&
        functions_.cuDeviceGetAttribute(&facts.capability_minor, kCapabilityMinor, device) ==
            kSuccess &&
        functions_.cuDeviceGetAttribute(&facts.multiprocessors, kMultiprocessors, device) ==
            kSuccess;
    if (!answers) continue;
    int shared = 0, l2 = 0;  // One that does not know them shows none.
    if (functions_.cuDeviceGetAttribute(&shared, kSharedBytesPerBlock, device) == kSuccess) {
      facts.shared_bytes = static_cast<std::uint64_t>(shared);
    }
    if (functions_.cuDeviceGetAttribute(&l2, kL2Bytes, device) == kSuccess) {
      facts.l2_bytes = static_cast<std::uint64_t>(l2);
    }
    const auto ask = [&](CUdevice_attribute attribute) {
      int value = 0;
      const CUresult result = functions_.cuDeviceGetAttribute(&value, attribute, device);
      return result == kSuccess ? value : 0;
    };
    facts.threads_per_unit = ask(kThreadsPerMultiprocessor);
    facts.blocks_per_unit = ask(kBlocksPerMultiprocessor);
    facts.registers_per_unit = ask(kRegistersPerMultiprocessor);
    facts.shared_per_unit = ask(kSharedBytesPerMultiprocessor);
    facts.warp_size = ask(kWarpSize);
    facts.threads_per_block = ask(kThreadsPerBlock);
    facts.registers_per_block = ask(kRegistersPerBlock);
    facts.peak_clock_khz = ask(kPeakClockKhz);
    facts.name = name.data();
    facts.memory_bytes = bytes;
    devices.push_back(std::move(facts));
  }
  return devices;
}

std::string Driver::ErrorText(CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (functions_.cuGetErrorName(result, &name) != kSuccess || name == nullptr) {
    return fmt::format("error {}", result);
  }
  if (functions_.cuGetErrorString(result, &text) != kSuccess || text == nullptr) return name;
  return fmt::format("{} ({})", name, text);
}

}  // namespace exh::kernels::cuda
