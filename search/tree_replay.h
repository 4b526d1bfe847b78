// SPDX-License-Identifier: MIT
#pragma once

#include "search/log_reader.h"
#include "search/tree.h"

namespace exh::search {

/// Applies the events of a log to a new tree, in the order of their numbers: the tree of the run at
/// the last complete line of its log. The tree has the run's root, order and bound. Throws Error
/// when a number is missing, or an event does not fit: the log is damaged, or of another space.
void ReplayTree(const Log& log, Tree& tree);

/// The options of the run's tree.
TreeOptions TreeOptionsOf(const RunRecord& run);

}  // namespace exh::search
