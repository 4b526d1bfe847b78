// SPDX-License-Identifier: MIT
#include "search/tree/tree_replay.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <utility>

#include "base/error.h"
#include "search/tree/tree_search.h"

namespace exh::search {

TreeReplay ReplayTree(const Log& log, Tree& tree, const std::function<bool(std::uint64_t)>& go_on) {
  std::map<std::uint64_t, Selection> open;
  const auto edge_of = [&](std::uint64_t selection) {
    const auto taken = open.extract(selection);
    if (taken.empty()) {
      throw Error(fmt::format("the log has a result of selection {}, but not itself", selection));
    }
    return taken.mapped().edge;
  };
  std::map<std::uint64_t, std::function<void()>> events;
  for (const SelectRecord& record : log.selects) {
    events[record.sequence] = [&] {
      Selection selection = tree.Repeat(record.path, record.is_closed);
      selection.sequence = record.sequence;
      if (!record.is_closed) open.emplace(record.sequence, std::move(selection));
    };
  }
  for (const EvalRecord& record : log.evals) {
    events[record.sequence] = [&] { tree.BackUp(edge_of(record.selection), BackupOf(record)); };
  }
  for (const ResultRecord& record : log.results) {
    events[record.sequence] = [&] { tree.BackUp(edge_of(record.selection), BackupOf(record)); };
  }
  for (const BestRecord& record : log.bests) {
    events[record.sequence] = [&] { tree.SetBest(record.cut_ns()); };
  }
  events.erase(0);  // What the tree does not know of.
  std::uint64_t last = 0;
  for (const auto& [sequence, apply] : events) {
    if (sequence != ++last) throw Error(fmt::format("the log lacks event {} of the tree", last));
    apply();
    if (go_on && !go_on(sequence)) break;
  }
  TreeReplay replay{.last = last, .stopped = !events.empty() && last != events.rbegin()->first};
  for (auto& [sequence, selection] : open) replay.open.push_back(std::move(selection));
  return replay;
}

TreeOptions TreeOptionsOf(const RunRecord& run) {
  return {.topk = run.topk, .epsilon = run.epsilon};
}

}  // namespace exh::search
