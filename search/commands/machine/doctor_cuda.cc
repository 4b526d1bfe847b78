// SPDX-License-Identifier: MIT
#include "search/commands/machine/doctor_cuda.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/driver.h"
#include "kernels/cuda/gpu.h"
#include "kernels/cuda/library.h"
#include "kernels/cuda/nvrtc.h"

namespace exh::search {
namespace {

using kernels::cuda::Cubin;
using kernels::cuda::DeviceFacts;
using kernels::cuda::Driver;
using kernels::cuda::Library;
using kernels::cuda::Nvrtc;

constexpr const char* kDriverFrom = "version 570 or later, from https://www.nvidia.com/drivers";
constexpr const char* kToolkitFrom = "https://developer.nvidia.com/cuda-downloads";

void Say(const std::string& what, const std::string& finding) {
  fmt::print("      {:<10} {}\n", what, finding);
}

void SayHow(const std::string& how) {
  Say("", "get it: " + how);
}

/// The driver, when it works.
std::optional<Driver> ReportDriver() {
  const auto [driver, problem] = Driver::Load(Driver::LibraryNames());
  if (!driver) {
    Say("cuda", problem + "; --device cpu needs none");
    SayHow(kDriverFrom);
    return std::nullopt;
  }
  Say("cuda", fmt::format("driver for CUDA {}", driver->version()));
  const std::vector<DeviceFacts> gpus = driver->Devices();
  if (gpus.empty()) Say("gpu", "the driver shows none that answers; --device cpu needs none");
  for (const DeviceFacts& gpu : gpus) {
    Say("gpu", fmt::format("{}: sm_{}{}, {} multiprocessors, {:.1f} GiB", gpu.name,
                           gpu.capability_major, gpu.capability_minor, gpu.multiprocessors,
                           static_cast<double>(gpu.memory_bytes) / (1 << 30)));
  }
  return driver;
}

/// Whether a GPU takes machine code: a compiler may be too new for a driver.
std::string Loads(const Driver& driver, int ordinal, const Cubin& cubin) {
  try {
    const kernels::cuda::Gpu gpu(driver, ordinal);
    const kernels::cuda::Module module(gpu, cubin.bytes);
    module.Function("exh_kernel");
    return fmt::format("GPU {} loads it", ordinal);
  } catch (const kernels::cuda::GpuError& error) {
    return fmt::format("GPU {} does not load it ({})", ordinal, error.what());
  }
}

void ReportNvrtc(const std::optional<Driver>& driver) {
  const auto [nvrtc, problem] = Nvrtc::Load(Nvrtc::LibraryNames());
  if (!nvrtc) {
    Say("nvrtc", problem + "; --device cpu needs none");
    SayHow(fmt::format("{}; of its packages cuda-nvrtc is enough", kToolkitFrom));
    return;
  }
  // For the GPUs that are there, or for one that it knows for certain.
  std::map<std::string, std::vector<int>> gpus;
  if (driver) {
    for (const DeviceFacts& gpu : driver->Devices()) {
      gpus[fmt::format("sm_{}{}", gpu.capability_major, gpu.capability_minor)].push_back(
          gpu.ordinal);
    }
  }
  if (gpus.empty()) gpus["sm_80"] = {};
  for (const auto& [architecture, ordinals] : gpus) {
    const Cubin cubin = nvrtc->Compile(
        "extern \"C\" __global__ void exh_kernel(float* x) { x[threadIdx.x] *= 2; }", architecture);
    std::string finding = fmt::format("{}, {} for {}", nvrtc->description(),
                                      cubin.ok() ? "compiles" : "does not compile", architecture);
    if (cubin.ok()) {
      for (const int ordinal : ordinals) finding += ", " + Loads(*driver, ordinal, cubin);
    }
    Say("nvrtc", finding);
  }
}

void ReportCublas() {
  const std::vector<std::string> names = {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                                          "/usr/local/cuda/lib64/libcublas.so"};
  const Library library = Library::Open(names);
  if (!library.is_open()) {
    Say("cublas", "libcublas.so is not there: only comparisons with it need it");
    SayHow(fmt::format("{}; of its packages libcublas is enough", kToolkitFrom));
    return;
  }
  int major = 0, minor = 0;
  using GetProperty = int (*)(int property, int* value);
  const auto get = reinterpret_cast<GetProperty>(library.Find("cublasGetProperty"));
  const bool tells = get != nullptr && get(0, &major) == 0 && get(1, &minor) == 0;
  Say("cublas", library.name() + (tells ? fmt::format(": version {}.{}", major, minor)
                                        : ": does not tell its version"));
}

}  // namespace

void ReportCuda() {
  const std::optional<Driver> driver = ReportDriver();
  ReportNvrtc(driver);
  ReportCublas();
}

}  // namespace exh::search
