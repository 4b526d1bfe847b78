// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/doctor.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/devices/cuda/detect.h"
#include "kernels/devices/cuda/driver/cublas_version.h"
#include "kernels/devices/cuda/driver/driver.h"
#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/devices/cuda/driver/nvrtc.h"
#include "kernels/devices/cuda/known_answers.h"

namespace exh::kernels::cuda {
namespace {

constexpr const char* kDriverFrom = "version 570 or later, from https://www.nvidia.com/drivers";
constexpr const char* kToolkitFrom = "https://developer.nvidia.com/cuda-downloads";

/// Findings in the order in which they are told.
class Report {
 public:
  void Say(const std::string& what, const std::string& finding) {
    findings_.push_back({Finding::Kind::kNote, what, finding});
  }
  void SayHow(const std::string& how) { Say("", "get it: " + how); }
  void SayKnown(const KnownAnswers& known) {
    std::string what = "answers";
    for (const std::string& line : known.Report()) Say(std::exchange(what, ""), line);
  }
  std::vector<Finding> Take() { return std::move(findings_); }

 private:
  std::vector<Finding> findings_;
};

/// The driver, when it works.
std::optional<Driver> ReportDriver(Report& report) {
  const auto [driver, problem] = Driver::Load(Driver::LibraryNames());
  if (!driver) {
    report.Say("cuda", problem + "; --device cpu needs none");
    report.SayHow(kDriverFrom);
    return std::nullopt;
  }
  report.Say("cuda", fmt::format("driver for CUDA {}", driver->version()));
  const std::vector<DeviceFacts> gpus = driver->Devices();
  if (gpus.empty())
    report.Say("gpu", "the driver shows none that answers; --device cpu needs none");
  for (const DeviceFacts& gpu : gpus) {
    report.Say("gpu",
               fmt::format("{}: {}, {} multiprocessors, {:.1f} GiB", gpu.name, gpu.architecture(),
                           gpu.multiprocessors, static_cast<double>(gpu.memory_bytes) / (1 << 30)));
    const std::string which = gpu.ordinal == 0 ? "" : fmt::format(" --gpu {}", gpu.ordinal);
    const DeviceResult limits = LimitsOf(gpu, ModelOf(gpu, *driver));
    report.Say("", limits.device ? fmt::format("its limits: search devices --device cuda{}", which)
                                 : limits.error);
  }
  return driver;
}

/// Whether a GPU takes machine code: a compiler may be too new for a driver.
std::string Loads(const Driver& driver, int ordinal, const Cubin& cubin) {
  try {
    const Gpu gpu(driver, ordinal);
    const Module module(gpu, cubin.bytes);
    module.Function("exh_kernel");
    return fmt::format("GPU {} loads it", ordinal);
  } catch (const GpuError& error) {
    return fmt::format("GPU {} does not load it ({})", ordinal, error.what());
  }
}

void ReportNvrtc(const std::optional<Driver>& driver, Report& report) {
  const auto [nvrtc, problem] = Nvrtc::Load(Nvrtc::LibraryNames());
  if (!nvrtc) {
    report.Say("nvrtc", problem + "; --device cpu needs none");
    report.SayHow(fmt::format("{}; of its packages cuda-nvrtc is enough", kToolkitFrom));
    return;
  }
  // For the GPUs that are there, or for one that it knows for certain.
  std::map<std::string, std::vector<int>> gpus;
  if (driver) {
    for (const DeviceFacts& gpu : driver->Devices()) {
      gpus[gpu.architecture()].push_back(gpu.ordinal);
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
    report.Say("nvrtc", finding);
    if (ordinals.empty() || !cubin.ok()) continue;
    report.SayKnown(KnownAnswersOf(nvrtc->description(), architecture, ordinals.front()));
  }
}

void ReportCublas(Report& report) {
  const CublasVersion found = FindCublas();
  if (found.library.empty()) {
    report.Say("cublas", "libcublas.so is not there: only comparisons with it need it");
    report.SayHow(fmt::format("{}; of its packages libcublas is enough", kToolkitFrom));
    return;
  }
  report.Say("cublas", found.library + (found.version.empty() ? ": does not tell its version"
                                                              : ": version " + found.version));
}

}  // namespace

std::vector<Finding> ExamineCuda() {
  Report report;
  const std::optional<Driver> driver = ReportDriver(report);
  ReportNvrtc(driver, report);
  ReportCublas(report);
  return report.Take();
}

}  // namespace exh::kernels::cuda
