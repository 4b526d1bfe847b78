// SPDX-License-Identifier: MIT
//
// `search install-kernel`: the best of runs as a library for applications.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "search/commands/command.h"
#include "search/install/install.h"
#include "search/tune/fleet_runs.h"

namespace exh::search {
namespace {

int InstallKernel(const InstallRequest& request) {
  if (request.runs.empty()) {
    throw UsageError("install what? search install-kernel RUN --out FOLDER");
  }
  if (request.out.empty()) {
    throw UsageError(fmt::format(
        "install '{}' where? --out takes the folder of a library, for example --out tuned",
        request.runs.front()));
  }
  InstallRequest wanted = request;
  const FleetRuns fleets = RunsWithBest(request.runs);
  wanted.runs = fleets.runs;
  for (const std::string& left_out : fleets.left_out) fmt::print("left out: {}\n", left_out);
  if (wanted.runs.empty()) {
    fmt::print("nothing is installed: no shape has a best yet\n");
    return 1;
  }
  const InstallResult result = Install(wanted);
  fmt::print("{}", result.said);
  if (!result.has_library) {
    fmt::print("nothing is installed: what was compared with each of the runs was faster\n");
    return 1;
  }
  fmt::print("{0}/tuned.h; to build it: cmake -S {0} -B {0}/build && cmake --build {0}/build\n",
             request.out);
  return 0;
}

}  // namespace

void AddInstallKernelCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "install-kernel", "the best of runs as a library for C, C++, NumPy and PyTorch");
  const auto request = std::make_shared<InstallRequest>();
  command->add_option(
      "runs", request->runs,
      "folders of runs or their logs, or all of a fleet, FLEET/*; RUN@N for record N "
      "instead of the best");
  command->add_option("--out", request->out,
                      "folder of the library; one that is there grows by the runs");
  command->add_option("--name", request->name,
                      "what the kernel is called in the library (default: as in the runs)");
  command->add_flag(
      "--only-faster", request->only_faster,
      "leave out what was slower than something that it was compared with in its run");
  command->callback(
      [request, &invocation] { invocation.run = [request] { return InstallKernel(*request); }; });
}

}  // namespace exh::search
