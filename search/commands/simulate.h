// SPDX-License-Identifier: MIT
#pragma once

#include "search/commands/search_options.h"

namespace exh::search {

/// `search --simulate RUN…`: compares policies on what runs recorded, and measures nothing. Returns
/// the exit code. Throws UsageError.
int Simulate(const CLI::App& app, const SearchOptions& options);

}  // namespace exh::search
