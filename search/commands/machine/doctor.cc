// SPDX-License-Identifier: MIT
//
// `search doctor`: does this machine have what a search needs?
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/parallel.h"
#include "base/system/machine_load.h"
#include "base/system/scratch_folder.h"
#include "kernels/devices/backend.h"
#include "search/commands/command.h"
#include "search/log/run_folder.h"

namespace exh::search {
namespace {

constexpr double kGiB = 1 << 30;

using kernels::Finding;

/// False: a search cannot do without it.
bool Report(const Finding& finding) {
  const char* const mark = finding.kind == Finding::Kind::kGood  ? "ok  "
                           : finding.kind == Finding::Kind::kBad ? "FAIL"
                                                                 : "    ";
  fmt::print("{}  {:<10} {}\n", mark, finding.what, finding.text);
  return finding.kind != Finding::Kind::kBad;
}

bool Report(bool good, const std::string& what, const std::string& finding) {
  return Report({good ? Finding::Kind::kGood : Finding::Kind::kBad, what, finding});
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

int Doctor() {
  const MachineLoad load = LoadOfMachine();
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(::sysconf(_SC_PAGESIZE)) / kGiB;
  bool good = CheckFolder("runs", std::filesystem::current_path().string());
  good &= CheckFolder("scratch", TemporaryParent());
  Report(true, "cores", fmt::format("{}", NumCores()));
  Report(true, "memory", fmt::format("{:.1f} GiB", memory));
  // Other work does not stop a search, it only makes its times worse: no failure.
  if (!load.text.empty()) Report(true, "load", load.text);
  for (const kernels::Backend* backend : kernels::AllBackends()) {
    for (const Finding& finding : backend->Examine()) good &= Report(finding);
  }
  return good ? 0 : 1;
}

}  // namespace

void AddDoctorCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command =
      app.add_subcommand("doctor", "checks the compiler, the folders and the machine");
  command->callback([&invocation] { invocation.run = Doctor; });
}

}  // namespace exh::search
