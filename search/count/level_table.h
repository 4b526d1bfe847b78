// SPDX-License-Identifier: MIT
//
// The levels of the search tree in several orders of decisions, side by side: where each of them
// has its nodes and its dead ends, and what a cut leaves. (The paper, section 5.5.)
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/candidate.h"
#include "search/count/size.h"
#include "search/descend/choice_order.h"
#include "search/descend/cut.h"

namespace exh::search {

/// The tree in one order of decisions, down to one level.
struct OrderLevels {
  std::string name;                     ///< As the user wrote it.
  std::vector<std::string> choices;     ///< First decided first.
  std::vector<LevelCount> levels;       ///< Without the cut.
  std::vector<LevelCount> levels_left;  ///< With it; empty when there is none.
};

struct LevelRequest {
  int depth = 10;            ///< The last level.
  std::uint64_t beyond = 0;  ///< Not 0: stops at the first level with more nodes than this instead.
  int jobs = 1;
  std::function<bool()> interrupted;
};

/// Counts all orders. The nodes of a level are not held at once: memory does not grow with them.
/// Empty when interrupted.
std::vector<OrderLevels> CountOrders(const runtime::Candidate& root,
                                     const std::vector<std::string>& orders,
                                     const LevelRequest& request, const Cut& cut = {});

/// A line per level, and one for all levels: nodes, the share of them that are dead ends (not known
/// of the last level), and what the cut leaves.
std::string LevelTable(const std::vector<OrderLevels>& orders);

nlohmann::ordered_json LevelJson(const std::vector<OrderLevels>& orders);

}  // namespace exh::search
