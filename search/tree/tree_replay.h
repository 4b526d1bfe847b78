// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "search/log/log_reader.h"
#include "search/tree/tree.h"

namespace exh::search {

/// What a log says of its tree beside the tree.
struct TreeReplay {
  std::uint64_t last = 0;       ///< Sequence number of the last event.
  bool stopped = false;         ///< `go_on` said so.
  std::vector<Selection> open;  ///< Selections without a result, in the order in which they began.
};

/// Applies the events of a log to a new tree, in the order of their numbers: the tree of the run at
/// the last complete line of its log. The tree has the run's root, order and bound. Throws Error
/// when a number is missing, or an event does not fit: the log is damaged, or of another space.
/// `go_on` is called with the number of each event that was applied, and says whether to apply the
/// next one; without it all are.
TreeReplay ReplayTree(const Log& log, Tree& tree,
                      const std::function<bool(std::uint64_t)>& go_on = {});

/// The options of the run's tree.
TreeOptions TreeOptionsOf(const RunRecord& run);

}  // namespace exh::search
