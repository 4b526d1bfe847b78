// SPDX-License-Identifier: MIT
#include <memory>
#include <string>

#include "search/commands/command.h"
#include "search/subject/plugins.h"

namespace exh::search {

void AddAskPluginCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(kAskPlugin, "loads a plugin and says how that went");
  command->group("");  // Not for people: left out of the help.
  const auto path = std::make_shared<std::string>();
  command->add_option("file", *path)->required();
  command->callback([&invocation, path] { invocation.run = [path] { return AskPlugin(*path); }; });
}

}  // namespace exh::search
