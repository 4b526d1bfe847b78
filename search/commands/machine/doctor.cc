// SPDX-License-Identifier: MIT
//
// `search doctor`: does this machine have what a search needs?
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/system/machine_load.h"
#include "base/system/process.h"
#include "base/system/scratch_folder.h"
#include "kernels/cpu/containment.h"
#include "search/commands/command.h"
#include "search/commands/machine/doctor_cuda.h"
#include "search/log/run_folder.h"
#include "search/measure/cpu_evaluator.h"

namespace exh::search {
namespace {

constexpr double kGiB = 1 << 30;

bool Report(bool good, const std::string& what, const std::string& finding) {
  fmt::print("{}  {:<10} {}\n", good ? "ok  " : "FAIL", what, finding);
  return good;
}

bool CheckCompiler() {
  const std::string path = CompilerPath();
  if (path.empty()) {
    return Report(
        false, "compiler",
        fmt::format("'{}' is not on PATH: apt install {}", CompilerName(), CompilerName()));
  }
  ProcessRequest request;
  request.argv = {path, "--version"};
  const ProcessResult result = RunProcess(request);
  const std::string version(Trim(result.out.substr(0, result.out.find('\n'))));
  return Report(result.ok(), "compiler", result.ok() ? path + ": " + version : path + " fails");
}

bool CheckFolder(const std::string& what, const std::string& folder) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (error) return Report(false, what, folder + ": " + error.message());
  if (::access(folder.c_str(), W_OK) != 0) return Report(false, what, folder + " is not writable");
  const double free_gib = static_cast<double>(space.available) / kGiB;
  constexpr double kLittle = 0.5;
  return Report(free_gib > kLittle, what, fmt::format("{}: {:.1f} GiB free", folder, free_gib));
}

/// What is missing does not stop a search: it makes it less safe.
void ReportContainment() {
  const kernels::cpu::Containment holds = kernels::cpu::TryContainment();
  Report(true, "candidates", "contained: " + kernels::cpu::ContainmentText(holds));
  const std::string missing = kernels::cpu::MissingContainmentText(holds);
  if (!missing.empty()) Report(true, "candidates", "not contained: " + missing);
}

int Doctor() {
  const MachineLoad load = LoadOfMachine();
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(::sysconf(_SC_PAGESIZE)) / kGiB;
  bool good = CheckCompiler();
  good &= CheckFolder("runs", std::filesystem::current_path().string());
  good &= CheckFolder("scratch", TemporaryParent());
  ReportContainment();
  Report(true, "cores", fmt::format("{}", NumCores()));
  Report(true, "memory", fmt::format("{:.1f} GiB", memory));
  // Other work does not stop a search, it only makes its times worse: no failure.
  if (!load.text.empty()) Report(true, "load", load.text);
  ReportCuda();
  return good ? 0 : 1;
}

}  // namespace

void AddDoctorCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command =
      app.add_subcommand("doctor", "checks the compiler, the folders and the machine");
  command->callback([&invocation] { invocation.run = Doctor; });
}

}  // namespace exh::search
