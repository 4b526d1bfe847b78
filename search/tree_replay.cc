// SPDX-License-Identifier: MIT
#include "search/tree_replay.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <unordered_map>

#include "search/error.h"
#include "search/tree_search.h"

namespace exh::search {
void ReplayTree(const Log& log, Tree& tree) {
  std::unordered_map<std::uint64_t, std::uint32_t> edges;  // Of selections.
  const auto edge_of = [&](std::uint64_t selection) {
    const auto found = edges.find(selection);
    if (found == edges.end()) {
      throw Error(fmt::format("the log has a result of selection {}, but not itself", selection));
    }
    return found->second;
  };
  std::map<std::uint64_t, std::function<void()>> events;
  for (const SelectRecord& record : log.selects) {
    events[record.sequence] = [&] {
      edges[record.sequence] = tree.Repeat(record.path, record.is_closed).edge;
    };
  }
  for (const EvalRecord& record : log.evals) {
    events[record.sequence] = [&] { tree.BackUp(edge_of(record.selection), BackupOf(record)); };
  }
  for (const ResultRecord& record : log.results) {
    events[record.sequence] = [&] { tree.BackUp(edge_of(record.selection), BackupOf(record)); };
  }
  for (const BestRecord& record : log.bests) {
    events[record.sequence] = [&] { tree.SetBest(record.ns); };
  }
  events.erase(0);  // What the tree does not know of.
  std::uint64_t last = 0;
  for (const auto& [sequence, apply] : events) {
    if (sequence != ++last) throw Error(fmt::format("the log lacks event {} of the tree", last));
    apply();
  }
}

TreeOptions TreeOptionsOf(const RunRecord& run) {
  return {.topk = run.topk, .epsilon = run.epsilon};
}

}  // namespace exh::search
