// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "kernels/library/registry.h"
#include "search/commands/command.h"

namespace exh::search {
namespace {

int List() {
  std::size_t name_width = 0, parameter_width = 0;
  for (const auto& kernel : kernels::AllKernels()) {
    name_width = std::max(name_width, kernel->name().size());
    for (const kernels::Parameter& parameter : kernel->parameters()) {
      parameter_width = std::max(parameter_width, parameter.name.size());
    }
  }
  for (const auto& kernel : kernels::AllKernels()) {
    const kernels::Origin& origin = *kernels::FindOrigin(*kernel);
    fmt::print("{:<{}} {}\n", kernel->name(), name_width, kernel->summary());
    if (!origin.file.empty()) {
      fmt::print("  from the plugin {}, space {}\n", origin.file,
                 kernels::SpaceOf(*kernel).space().name);
    }
    for (const kernels::Parameter& parameter : kernel->parameters()) {
      fmt::print("  {:<{}} {} (default {}, {} to {})\n", parameter.name, parameter_width,
                 parameter.what, parameter.default_value, parameter.min, parameter.max);
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
