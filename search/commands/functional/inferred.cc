// SPDX-License-Identifier: MIT
//
// `search functional`: what is inferred of a functional program (docs/functional.md).
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "functional/lift/program_file.h"
#include "search/commands/command.h"
#include "search/commands/functional/functional.h"
#include "search/solve/functional_file.h"

namespace exh::search {
namespace {

struct FunctionalCommand {
  std::string file, size;
};

int PrintMaps(const std::string& path) {
  try {
    fmt::print("{}", lift::TreeText(lift::TreeOfProgramFile(path)));
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  return 0;
}

}  // namespace

void AddFunctionalCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "functional", "functional programs, FILE.fun: what is inferred of them, how they run");
  command->require_subcommand(1);
  AddFunctionalSearch(*command, invocation);
  const auto options = std::make_shared<FunctionalCommand>();
  CLI::App* const constraints =
      command->add_subcommand("constraints", "its parameters and what must hold of them, as .exh");
  constraints->add_option("file", options->file, "the program")->required();
  constraints->add_option("--size", options->size, "its sizes, limits and parameters: n=8,v=4");
  CLI::App* const maps = command->add_subcommand(
      "maps", "the tree of its maps that write memory, as JSON: docs/lift.md");
  maps->add_option("file", options->file, "the program")->required();
  maps->callback(
      [options, &invocation] { invocation.run = [options] { return PrintMaps(options->file); }; });
  constraints->callback([options, &invocation] {
    invocation.run = [options] {
      fmt::print("{}", ConstraintsOf(options->file, options->size));
      return 0;
    };
  });
}

}  // namespace exh::search
