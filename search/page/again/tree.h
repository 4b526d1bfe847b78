// SPDX-License-Identifier: MIT
//
// The search tree of a run, made again for a page: what its bounds were, and when.
#pragma once

#include <cstddef>

#include "search/log/log_reader.h"
#include "search/page/again/rebuilt.h"
#include "search/page/prefix_tree.h"
#include "search/page/script_json.h"

namespace exh::search {

/// Applies the events of the log to a new tree, until it has `most` nodes, tells `prefixes` what is
/// known of each, and writes the member "bounds": what nothing was faster than, as far as was
/// known, as pairs of seconds and nanoseconds wherever it changed, and "treeTrouble": empty, or why
/// some or all of that is lacking.
void WriteTreeAgain(const Log& log, const Rebuilt& rebuilt, std::size_t most, PrefixTree& prefixes,
                    ScriptJson& json);

}  // namespace exh::search
