// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "kernels/library/registry.h"
#include "search/commands/command.h"

namespace exh::search {
namespace {

int List() {
  for (const auto& kernel : kernels::AllKernels()) {
    const kernels::Origin& origin = *kernels::FindOrigin(*kernel);
    fmt::print("{:<12} {}\n", kernel->name(), kernel->summary());
    if (!origin.file.empty()) {
      fmt::print("  from the plugin {}, space {}\n", origin.file,
                 kernels::SpaceOf(*kernel).space().name);
    }
    for (const kernels::Parameter& parameter : kernel->parameters()) {
      fmt::print("  {:<10} {} (default {}, {} to {})\n", parameter.name, parameter.what,
                 parameter.default_value, parameter.min, parameter.max);
    }
  }
  return 0;
}

}  // namespace

void AddListCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const list = app.add_subcommand("list", "kernels and their sizes");
  list->callback([&invocation] { invocation.run = List; });
}

}  // namespace exh::search
