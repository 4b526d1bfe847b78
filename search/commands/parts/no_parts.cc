// SPDX-License-Identifier: MIT
//
// The parts of the program `search-kernels`.
#include "base/check.h"
#include "search/commands/parts/needs.h"
#include "search/commands/parts/parts.h"

namespace exh::search {
namespace {

/// For the help alone: a command line with one of them was handed over before.
void AddNames(CLI::App& app, Invocation& /*invocation*/) {
  for (const LaterCommand& command : LaterCommands())
    app.add_subcommand(command.name, command.what);
}

}  // namespace

const Parts& NoParts() {
  static constexpr Parts parts = {
      .add = AddNames,
      .simulate = [](const CLI::App&, const SearchOptions&) -> int {
        EXH_CHECK(false);
        return 1;
      },
      .own = [](const SearchOptions&, const Invocation&) -> int {
        EXH_CHECK(false);
        return 1;
      },
      .own_space = [](const ProblemOptions&, const std::string&) -> std::unique_ptr<Subject> {
        EXH_CHECK(false);
        return nullptr;
      },
      .list_spaces =
          [] {
            EXH_CHECK(false);
            return 1;
          }};
  return parts;
}

}  // namespace exh::search
