// SPDX-License-Identifier: MIT
#include "kernels/devices/backend.h"
#include "search/commands/command.h"

namespace exh::search {

void AddDeviceProcessCommands(CLI::App& app, Invocation& invocation) {
  for (const kernels::Backend* backend : kernels::AllBackends()) {
    for (const kernels::ProcessMain& process : backend->processes()) {
      CLI::App* const command = app.add_subcommand(process.command, process.what);
      command->group("");  // Not for people: left out of the help.
      command->callback([&invocation, process] { invocation.run = process.main; });
    }
  }
}

}  // namespace exh::search
