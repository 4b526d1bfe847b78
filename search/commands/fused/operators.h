// SPDX-License-Identifier: MIT
//
// Sub-commands of `search fused`, and how they read operators.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "kernels/fused/graph/read.h"
#include "search/commands/command.h"

namespace exh::search {

void AddFusedCheck(CLI::App& command, Invocation& invocation);
void AddFusedExplain(CLI::App& command, Invocation& invocation);
/// `search fused search`.
void AddFusedSearch(CLI::App& command, Invocation& invocation);
/// `search fused` itself: operators as they run.
void AddFusedRun(CLI::App& command, Invocation& invocation);

/// The one operator of a file; what is wrong with it goes to stderr. Nothing: it is not taken.
std::optional<kernels::fused::Graph> ReadOneOperator(const std::string& path);

/// Calls `visit(line, operator)` for each line that has one, until that returns false.
void ForEachOperator(
    std::string_view text,
    const std::function<bool(std::size_t, const kernels::fused::ReadResult&)>& visit);

/// "line 3 bert/level1/Fused_Add.info".
std::string PlaceOf(const kernels::fused::ReadResult& result, std::size_t line);

}  // namespace exh::search
