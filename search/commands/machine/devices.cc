// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>

#include "search/commands/command.h"

namespace exh::search {
namespace {

int Devices(const ProblemOptions& options) {
  const kernels::ir::Device device = FindDevice(options);
  fmt::print("{}\n", device.name);
  for (const auto& [limit, value] : DeviceLimits(device)) fmt::print("  {:<18} {}\n", limit, value);
  return 0;
}

}  // namespace

void AddDevicesCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command =
      app.add_subcommand("devices", "the limits of a device as a search would use them");
  const auto options = std::make_shared<ProblemOptions>();
  AddDeviceOptions(*command, *options);
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Devices(*options); }; });
}

}  // namespace exh::search
