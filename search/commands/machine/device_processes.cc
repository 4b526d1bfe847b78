// SPDX-License-Identifier: MIT
#include <memory>
#include <string>

#include "kernels/devices/backend.h"
#include "search/commands/command.h"

namespace exh::search {

void AddDeviceProcessCommands(CLI::App& app, Invocation& invocation) {
  for (const kernels::Backend* backend : kernels::AllBackends()) {
    for (const kernels::ProcessMain& process : backend->processes()) {
      CLI::App* const command = app.add_subcommand(process.command, process.what);
      command->group("");  // Not for people: left out of the help.
      if (process.main_of_file == nullptr) {
        command->callback([&invocation, process] { invocation.run = process.main; });
        continue;
      }
      const auto path = std::make_shared<std::string>();
      command->add_option("FILE", *path)->required();
      command->callback([&invocation, process, path] {
        invocation.run = [process, path] { return process.main_of_file(*path); };
      });
    }
  }
}

}  // namespace exh::search
