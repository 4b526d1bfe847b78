// SPDX-License-Identifier: MIT
#include "search/page/prefix_tree.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "search/log/log_text.h"

namespace exh::search {
namespace {

/// Decisions have fewer than 2^24 numbers and values fewer than 2^8 (log_reader.h): a key is no
/// hash, so that two children never meet in one.
std::uint64_t KeyOf(int parent, const PathStep& step) {
  return static_cast<std::uint64_t>(parent) << 32 |
         static_cast<std::uint64_t>(step.decision & 0xffffff) << 8 |
         static_cast<std::uint64_t>(step.value & 0xff);
}

}  // namespace

PrefixTree::PrefixTree(const Log& log) : PrefixTree() {
  for (const SelectRecord& select : log.selects) Add(select);
  for (const EvalRecord& eval : log.evals) Add(eval, /*counts_visits=*/log.selects.empty());
}

void PrefixTree::Add(const SelectRecord& select) {
  node_of_[select.sequence] = Follow(select.path, /*counts_visits=*/true);
}

void PrefixTree::Add(const EvalRecord& eval, bool counts_visits) {
  const auto selected = node_of_.find(eval.selection);
  int node = selected != node_of_.end() ? selected->second : Follow(eval.path, counts_visits);
  const bool is_correct = eval.verdict == kernels::Verdict::kCorrect && eval.best_ns > 0;
  for (; node >= 0; node = nodes_[static_cast<std::size_t>(node)].parent) {
    PrefixNode& above = nodes_[static_cast<std::size_t>(node)];
    ++above.evaluations;
    if (!is_correct) continue;
    ++above.correct;
    if (above.best_ns == 0 || eval.best_ns < above.best_ns) above.best_ns = eval.best_ns;
  }
}

int PrefixTree::Child(int node, const PathStep& step) const {
  const auto found = children_.find(KeyOf(node, step));
  return found == children_.end() ? -1 : found->second;
}

int PrefixTree::Follow(const Path& path, bool counts_visits) {
  int node = 0;
  bool is_new = false;
  if (counts_visits) ++nodes_[0].visits;
  for (const PathStep& step : path) {
    int child = is_new ? -1 : Child(node, step);
    if (child < 0) {
      if (is_new) break;
      is_new = true;
      child = static_cast<int>(nodes_.size());
      children_.emplace(KeyOf(node, step), child);
      nodes_.emplace_back();
      nodes_.back().parent = node;
      nodes_.back().step = step;
    }
    node = child;
    if (counts_visits) ++nodes_[static_cast<std::size_t>(node)].visits;
  }
  return node;
}

void PrefixTree::Learn(const Tree& tree) {
  std::vector<int> node_of;  // By edge of the tree; -1: nothing went through it.
  tree.ForEachEdge([&](const EdgeView& edge) {
    const int parent = edge.above == EdgeView::kNone ? -1 : node_of[edge.above];
    const int index = edge.above == EdgeView::kNone ? 0
                      : parent < 0                  ? -1
                                                    : Child(parent, edge.step);
    node_of.push_back(index);
    if (index >= 0) {
      PrefixNode& node = nodes_[static_cast<std::size_t>(index)];
      node.bound_ns = edge.bound;
      node.state = edge.is_dead_end ? PrefixNode::State::kDeadEnd
                   : edge.is_cut    ? PrefixNode::State::kCut
                   : edge.is_done   ? PrefixNode::State::kDone
                                    : PrefixNode::State::kOpen;
    } else if (parent >= 0) {
      PrefixNode& node = nodes_[static_cast<std::size_t>(parent)];
      node.dead_ends += edge.is_dead_end ? 1 : 0;
      node.cut += edge.is_cut ? 1 : 0;
    }
  });
}

std::vector<int> PrefixTree::MostVisited(std::size_t most) const {
  std::vector<int> order(nodes_.size());
  std::iota(order.begin(), order.end(), 0);
  // A parent has as many visits as each child, and stands before it: no child without its parent.
  std::ranges::stable_sort(order, [&](int a, int b) {
    return nodes_[static_cast<std::size_t>(a)].visits > nodes_[static_cast<std::size_t>(b)].visits;
  });
  if (order.size() > most) order.resize(most);
  std::ranges::sort(order);
  return order;
}

void WritePrefixTree(const Log& log, const PrefixTree& tree, std::size_t most, ScriptJson& json) {
  const std::vector<int> kept = tree.MostVisited(most);
  std::vector<int> place(tree.nodes().size(), -1), hidden(kept.size(), 0);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    place[static_cast<std::size_t>(kept[i])] = static_cast<int>(i);
  }
  for (std::size_t i = 1; i < place.size(); ++i) {
    int above = static_cast<int>(i);
    while (place[static_cast<std::size_t>(above)] < 0) {
      above = tree.nodes()[static_cast<std::size_t>(above)].parent;
    }
    if (above != static_cast<int>(i)) {
      ++hidden[static_cast<std::size_t>(place[static_cast<std::size_t>(above)])];
    }
  }
  const auto column = [&](const char* name, const auto& write) {
    json.Key(name).Open('[');
    for (std::size_t i = 0; i < kept.size(); ++i) {
      write(i, tree.nodes()[static_cast<std::size_t>(kept[i])]);
    }
    json.Close();
  };
  std::map<std::pair<int, int>, int> names;
  std::vector<std::string> texts;
  const auto name_of = [&](const PathStep& step) {
    const auto [entry, is_new] =
        names.try_emplace({step.decision, step.value}, static_cast<int>(texts.size()));
    if (is_new) texts.push_back(DecisionName(log, step.decision) + " = " + ValueName(log, step));
    return entry->second;
  };
  json.Key("tree").Open('{');
  json.Key("count").Integer(static_cast<std::int64_t>(tree.nodes().size()));
  column("parent", [&](std::size_t, const PrefixNode& node) {
    json.Integer(node.parent < 0 ? -1 : place[static_cast<std::size_t>(node.parent)]);
  });
  column("step", [&](std::size_t i, const PrefixNode& node) {
    json.Integer(i == 0 ? -1 : name_of(node.step));
  });
  column("state", [&](std::size_t, const PrefixNode& node) {
    json.Integer(static_cast<std::int64_t>(node.state));
  });
  column("visits", [&](std::size_t, const PrefixNode& node) { json.Integer(node.visits); });
  column("evaluations",
         [&](std::size_t, const PrefixNode& node) { json.Integer(node.evaluations); });
  column("correct", [&](std::size_t, const PrefixNode& node) { json.Integer(node.correct); });
  column("best", [&](std::size_t, const PrefixNode& node) { json.Number(node.best_ns); });
  column("bound", [&](std::size_t, const PrefixNode& node) { json.Number(node.bound_ns); });
  column("deadEnds", [&](std::size_t, const PrefixNode& node) { json.Integer(node.dead_ends); });
  column("cut", [&](std::size_t, const PrefixNode& node) { json.Integer(node.cut); });
  column("hidden", [&](std::size_t i, const PrefixNode&) { json.Integer(hidden[i]); });
  json.Key("names").Texts(texts, 2000);
  json.Close();
}

}  // namespace exh::search
