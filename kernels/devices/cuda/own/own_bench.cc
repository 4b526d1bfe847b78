// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/own/own_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "base/stop.h"
#include "base/system/scratch_folder.h"
#include "kernels/devices/cuda/driver/device_programs.h"
#include "kernels/devices/cuda/driver/driver.h"
#include "kernels/devices/cuda/own/kernel_text.h"
#include "kernels/devices/cuda/own/setup.h"
#include "kernels/devices/cuda/pools/compile_pool.h"

namespace exh::kernels::cuda {
namespace {

[[noreturn]] void Missing(const std::string& why) {
  throw Error(
      fmt::format("{}\n  --cuda runs a kernel on a GPU of NVIDIA; search doctor says what is "
                  "missing, and how to get it",
                  why));
}

/// What GPU number `ordinal` says of itself.
DeviceFacts FactsOf(int ordinal) {
  const auto [driver, problem] = Driver::Load(Driver::LibraryNames());
  if (!driver) Missing(problem);
  const std::vector<DeviceFacts> devices = driver->Devices();
  if (devices.empty()) Missing("the driver shows no GPU");
  const auto found = std::ranges::find(devices, ordinal, &DeviceFacts::ordinal);
  if (found != devices.end()) return *found;
  std::string numbers;
  for (const DeviceFacts& facts : devices) {
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(facts.ordinal);
  }
  throw UsageError(
      fmt::format("--gpu {}: there is none with this number; there is {}", ordinal, numbers));
}

/// So that a shell takes it as one word.
std::string Quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// For texts of ours.
CompilePoolOptions PlainPool(const EvaluatorOptions& evaluator,
                             const std::vector<std::string>& compiler, const std::string& folder,
                             const std::string& architecture) {
  CompilePoolOptions options;
  options.command = compiler;
  options.folder = folder + "/cubin";
  options.architecture = architecture;
  options.stop = evaluator.stop;
  options.cache =
      evaluator.cache.empty() ? CubinCache::DefaultFolder() : evaluator.cache + "/cubin";
  return options;
}

/// For the kernel.
CompilePoolOptions KernelPool(const OwnKernelTask& task, const EvaluatorOptions& evaluator,
                              CompilePoolOptions options) {
  options.workers = evaluator.jobs;
  options.options = task.options;
  const std::string beside = std::filesystem::path(task.path).parent_path().string();
  options.options.push_back("-I" + (beside.empty() ? "." : beside));
  // A cache does not know when what the user includes changes.
  if (task.text.find("#include \"") != std::string::npos) options.cache.clear();
  return options;
}

class CudaOwnBench final : public OwnKernelBench {
 public:
  CudaOwnBench(const OwnKernelTask& task, const EvaluatorOptions& options,
               const std::vector<std::string>& compiler, std::string program)
      : text_(WithPlainName(task.text, task.path, task.entry)),
        program_(std::move(program)),
        plain_(PlainPool(options, compiler, scratch_.path(), FactsOf(options.gpu).architecture())),
        compilers_(KernelPool(task, options, plain_)) {
    const CompiledKernel programs = CompilePool(plain_).Compile(DeviceProgramsSource());
    if (IsStopped(options.stop)) throw Interrupted("stopped before the GPU was ready");
    if (programs.verdict != Verdict::kCorrect) Missing(programs.why);
    const Compiled reference = Compile(task.reference_defines);
    if (IsStopped(options.stop)) throw Interrupted("stopped before the GPU was ready");
    if (reference.verdict != Verdict::kCorrect) {
      throw UsageError(
          fmt::format("{}: the default configuration does not compile{}: {}", task.path,
                      task.options.empty() ? ""
                                           : fmt::format(" with the options {}, which are NVRTC's",
                                                         fmt::join(task.options, " ")),
                      reference.why));
    }
    OwnSetup setup;
    setup.drivers = Driver::LibraryNames();
    setup.programs = programs.cubin;
    setup.ordinal = options.gpu;
    setup.entry = task.entry;
    setup.arguments = task.arguments;
    setup.constants = task.constants;
    setup.tolerance = task.tolerance;
    setup.reference_cubin = reference.library;
    setup.reference = task.reference;
    std::ofstream file(SetupPath());
    file << WriteOwnSetup(setup);
    file.close();
    if (!file) throw Error(fmt::format("cannot write {}", SetupPath()));
  }

  Compiled Compile(const std::string& defines) override {
    const CompiledKernel built = compilers_.Compile(WithDefines(defines, text_));
    Compiled compiled;
    compiled.verdict = built.verdict;
    // What spills runs all the same, and its author may know.
    const bool has_code = built.verdict == Verdict::kSpills && !built.cubin.empty();
    if (has_code) compiled.verdict = Verdict::kCorrect;
    if (!has_code) compiled.why = built.why;
    compiled.library = built.cubin;
    compiled.compile_ms = built.compile_ms;
    compiled.gpu.emplace().registers = built.resources.registers;
    return compiled;
  }

  std::string command() const override {
    return fmt::format("exec {} {} {}", Quoted(program_), kServeCuda, Quoted(SetupPath()));
  }

  void Discard(const Compiled& compiled) const override {
    // What the cache keeps is not ours to remove.
    if (!compiled.library.starts_with(scratch_.path())) return;
    std::error_code ignored;
    std::filesystem::remove(compiled.library, ignored);
  }

 private:
  std::string SetupPath() const { return scratch_.path() + "/setup.json"; }

  const ScratchFolder scratch_;
  const std::string text_;
  const std::string program_;
  const CompilePoolOptions plain_;
  CompilePool compilers_;
};

}  // namespace

std::unique_ptr<OwnKernelBench> MakeCudaOwnBench(const OwnKernelTask& task,
                                                 const EvaluatorOptions& options,
                                                 const std::vector<std::string>& compiler,
                                                 const std::string& program) {
  return std::make_unique<CudaOwnBench>(task, options, compiler, program);
}

}  // namespace exh::kernels::cuda
