// SPDX-License-Identifier: MIT
//
// `search characterize`: measures what a GPU can do at most, for lower bounds to divide by.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/numbers.h"
#include "kernels/devices/backend.h"
#include "kernels/devices/cuda/detect.h"
#include "kernels/devices/cuda/driver/device_programs.h"
#include "kernels/devices/cuda/driver/driver.h"
#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/devices/cuda/driver/nvrtc.h"
#include "kernels/devices/cuda/driver/timer.h"
#include "kernels/devices/cuda/probes/characterize.h"
#include "kernels/devices/cuda/probes/gpu_probes.h"
#include "kernels/devices/device.h"
#include "search/commands/command.h"
#include "search/log/run_folder.h"

namespace exh::search {
namespace {

using kernels::Characteristic;
namespace cuda = kernels::cuda;

struct CharacterizeOptions {
  std::string device;
  int gpu = 0;
  std::string name = "gpu", out;
  bool quick = false;
};

cuda::Module Load(const cuda::Gpu& gpu, const cuda::Nvrtc& nvrtc, const std::string& source) {
  const cuda::DeviceFacts& facts = gpu.facts();
  const cuda::Cubin cubin = nvrtc.Compile(source, facts.architecture());
  if (!cubin.ok()) throw Error("the probes do not compile:\n" + cubin.log);
  return {gpu, cubin.bytes};
}

/// What has no probes that are programs of a GPU prints what it finds.
int PrintSpeed(const std::string& name) {
  const kernels::DeviceResult device = kernels::LoadDevice(name);
  if (!device.device) throw UsageError(device.error);
  fmt::print("{}", kernels::BackendOf(*device.device).SpeedText(*device.device));
  return 0;
}

int Characterize(const CharacterizeOptions& options) {
  if (!options.device.empty()) return PrintSpeed(options.device);
  const auto loaded = cuda::Driver::Load(cuda::Driver::LibraryNames());
  if (!loaded.driver) throw Error(loaded.problem + "; search doctor says how to get it");
  const auto [nvrtc, problem] = cuda::Nvrtc::Load(cuda::Nvrtc::LibraryNames());
  if (!nvrtc) throw Error(problem + "; search doctor says how to get it");
  std::vector<Characteristic> found;
  kernels::RatesHeader header;
  header.name = options.name;
  header.date = TimeStamp();
  const kernels::Care care = options.quick ? kernels::Care::kQuick : kernels::Care::kFull;
  try {
    const cuda::Gpu gpu(*loaded.driver, options.gpu);
    const std::string model = cuda::ModelOf(gpu.facts(), *loaded.driver);
    if (options.quick) header.model = model;
    header.conditions = fmt::format("{}, {}", model, nvrtc->description());
    fmt::print("{}\n", header.conditions);
    const cuda::Module programs = Load(gpu, *nvrtc, cuda::DeviceProgramsSource());
    const cuda::Module probes = Load(gpu, *nvrtc, kernels::GpuProbesSource());
    const cuda::Timer timer(gpu, programs.Function("exh_clock"));
    found = kernels::CharacterizeGpu(gpu, timer, probes, care);
  } catch (const cuda::GpuError& error) {
    throw Error(error.what());
  }
  for (const Characteristic& c : found) {
    fmt::print("  {:<26} {:>12} {:<6} {}\n", c.name, fmt::format("{:.6g}", c.Fastest()), c.unit,
               c.how);
  }
  if (options.out.empty()) return 0;
  WriteFile(options.out, kernels::RatesToJson(header, found, kernels::MarginsOf(care)));
  fmt::print("written to {}", options.out);
  if (!options.quick) {
    fmt::print(": a search for a device of this name reads it as {}/rates/{}.json",
               kernels::DeviceFolder(), options.name);
  }
  fmt::print("\n");
  return 0;
}

}  // namespace

void AddCharacterizeCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "characterize", "measures what a GPU or this processor can do at most, for lower bounds");
  const auto options = std::make_shared<CharacterizeOptions>();
  command->add_option("--device", options->device, "cpu: this processor (default: a GPU)");
  command->add_option("--gpu", options->gpu, "which GPU (default 0)");
  command->add_option("--name", options->name, "name of the device that it is (default gpu)");
  command->add_option("--out", options->out, "JSON file to write");
  command->add_flag("--quick", options->quick,
                    "in a moment, with larger margins: what a search does by itself for a device "
                    "that it detects");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Characterize(*options); }; });
}

}  // namespace exh::search
