// SPDX-License-Identifier: MIT
#pragma once

#include "search/propose/entry.h"
#include "search/run/pipeline/pipeline.h"

namespace exh::search {

/// Phase 0: evaluates what the run begins with (ExplorerOptions::first), one by one, until
/// something is correct (what the run was handed in any case): with that it is known what is too
/// slow to wait for. Nothing where nothing
/// is learned.
void BeginRun(const EntryMaker& entries, const RunParts& parts, Pipeline& pipeline);

}  // namespace exh::search
