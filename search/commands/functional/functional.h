// SPDX-License-Identifier: MIT
#pragma once

#include "search/commands/command.h"

namespace exh::search {

/// Subcommands of `search functional` that run programs.
void AddFunctionalSearch(CLI::App& command, Invocation& invocation);

}  // namespace exh::search
