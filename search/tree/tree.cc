// SPDX-License-Identifier: MIT
#include "search/tree/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/hash.h"

namespace exh::search {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Tree::Tree(const TreeSpace& space, const TreeOptions& options) : space_(space), options_(options) {
  const Branch root = space.Root();
  Edge edge;
  edge.bound = root.bound;
  if (root.is_leaf) edge.flags = kLeaf;
  edges_.push_back(edge);
}

// ---- Select -----------------------------------------------------------------------------------

std::optional<Selection> Tree::Select(const Policy& policy, Random& random) {
  std::vector<std::uint32_t> blocked;
  for (;;) {
    if (IsDead(0) || Has(0, kBusy) || std::ranges::count(blocked, 0u) > 0) return std::nullopt;
    const std::size_t before = nodes_.size();
    bool has_end = false;
    const std::uint32_t edge = Descend(policy, random, blocked, has_end);
    if (has_end) return Take(edge);
    if (!IsDead(edge)) {
      blocked.push_back(edge);  // All that is alive below is being evaluated.
    } else if (nodes_.size() > before) {
      Selection selection;  // A new node is an event of its own, also when it is dead at once.
      selection.path = PathOf(edge);
      selection.edge = edge;
      selection.is_closed = true;
      return selection;
    }
  }
}

std::uint32_t Tree::Descend(const Policy& policy, Random& random,
                            const std::vector<std::uint32_t>& blocked, bool& has_end) {
  std::uint32_t edge = 0;
  while (!Has(edge, kLeaf) && edges_[edge].visits > 0) {
    if (edges_[edge].child == kNone) Expand(edge);
    const Node& node = nodes_[edges_[edge].child];
    std::vector<std::uint32_t> free;
    std::vector<ChildStatistics> children;
    for (std::uint32_t child = node.first_edge; child < node.first_edge + node.num_edges; ++child) {
      if (IsDead(child) || Has(child, kBusy) || std::ranges::count(blocked, child) > 0) continue;
      free.push_back(child);
      children.push_back({edges_[child].visits, edges_[child].bound, TimesOf(edges_[child])});
    }
    if (children.empty()) {
      Update(node.first_edge);
      return edge;
    }
    edge = free[policy.Choose(children, cut_, random)];
  }
  has_end = true;
  return edge;
}

Selection Tree::Take(std::uint32_t edge) {
  Selection selection;
  selection.path = PathOf(edge);
  selection.edge = edge;
  selection.is_leaf = Has(edge, kLeaf);
  selection.bound = edges_[edge].bound;
  selection.cut = cut_;
  if (selection.is_leaf) edges_[edge].flags |= kBusy;
  for (std::uint32_t up = edge;; up = nodes_[edges_[up].owner].edge) {
    ++edges_[up].visits;
    if (up == 0) return selection;
  }
}

std::optional<Selection> Tree::SelectTo(const Path& path) {
  std::uint32_t edge = 0;
  for (;;) {
    if (IsDead(edge) || Has(edge, kBusy)) return std::nullopt;
    if (edges_[edge].child == kNone) return Take(edge);
    const Node& node = nodes_[edges_[edge].child];
    const auto step = std::ranges::find(path, static_cast<int>(node.decision), &PathStep::decision);
    // The path lacks this decision: it followed from values that dead ends had removed. All that
    // is known of the implementation is that it lies below this edge.
    if (step == path.end()) return Take(edge);
    const std::span<const Edge> edges = EdgesOf(node);
    const auto found = std::ranges::find(edges, step->value, &Edge::value);
    if (found == edges.end()) return std::nullopt;
    edge = node.first_edge + static_cast<std::uint32_t>(found - edges.begin());
  }
}

Selection Tree::Repeat(const Path& path, bool is_closed) {
  std::uint32_t edge = 0;
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("a selection of the log does not fit the tree: {}", why));
  };
  for (const PathStep& step : path) {
    if (edges_[edge].child == kNone) Expand(edge);
    const Node& node = nodes_[edges_[edge].child];
    if (node.decision != static_cast<std::uint32_t>(step.decision)) {
      refuse(fmt::format("decision {} where {} is next", step.decision, node.decision));
    }
    const std::span<const Edge> edges = EdgesOf(node);
    const auto found = std::ranges::find(edges, step.value, &Edge::value);
    if (found == edges.end()) refuse(fmt::format("no value {}", step.value));
    edge = node.first_edge + static_cast<std::uint32_t>(found - edges.begin());
    if (edges_[edge].death == Death::kDeadEnd) refuse("a dead end");
  }
  if (!is_closed) return Take(edge);
  if (Has(edge, kLeaf)) refuse("a leaf has no children");
  if (edges_[edge].child == kNone) Expand(edge);
  Selection selection;
  selection.path = path;
  selection.edge = edge;
  selection.is_closed = true;
  return selection;
}

// ---- Expand -----------------------------------------------------------------------------------

void Tree::Expand(std::uint32_t edge) {
  const Branches branches = space_.Expand(PathOf(edge));
  Node node;
  node.edge = edge;
  node.first_edge = static_cast<std::uint32_t>(edges_.size());
  node.num_edges = static_cast<std::uint16_t>(branches.values.size());
  node.decision = branches.decision;
  node.depth = edge == 0 ? std::uint16_t{0}
                         : static_cast<std::uint16_t>(nodes_[edges_[edge].owner].depth + 1);
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  const double bound = edges_[edge].bound;
  for (const Branch& branch : branches.values) {
    Edge next;
    next.owner = number;
    next.value = branch.value;
    next.bound = std::max(bound, branch.bound);  // One below its parent's is true but says less.
    if (branch.is_leaf) next.flags = kLeaf;
    if (branch.is_dead_end) next.death = Death::kDeadEnd;
    edges_.push_back(next);
    if (IsCut(next)) ++num_cut_;
  }
  nodes_.push_back(node);
  edges_[edge].child = number;
  Update(node.first_edge);
}

Path Tree::PathOf(std::uint32_t edge) const {
  Path path;
  for (; edge != 0; edge = nodes_[edges_[edge].owner].edge) {
    path.push_back(
        {static_cast<int>(nodes_[edges_[edge].owner].decision), int{edges_[edge].value}});
  }
  std::ranges::reverse(path);
  return path;
}

// ---- Back up ----------------------------------------------------------------------------------

void Tree::BackUp(std::uint32_t edge, const Backup& backup) {
  if (Has(edge, kLeaf)) {
    edges_[edge].flags &= static_cast<std::uint8_t>(~kBusy);
    if (backup.kind != Backup::Kind::kLost) edges_[edge].death = Death::kEvaluated;
  } else if (backup.kind == Backup::Kind::kEmpty) {
    edges_[edge].death = Death::kEmpty;
  }
  if (backup.kind == Backup::Kind::kTimed) {
    for (std::uint32_t up = edge;; up = nodes_[edges_[up].owner].edge) {
      AddTime(edges_[up], backup);
      if (up == 0) break;
    }
  }
  Update(edge);
}

void Tree::AddTime(Edge& edge, const Backup& backup) {
  const auto most = static_cast<std::size_t>(options_.topk);
  if (edge.times == kNone) {
    edge.times = static_cast<std::uint32_t>(times_.size() / most);
    times_.resize(times_.size() + most, kInfinity);
  }
  const auto begin = times_.begin() + static_cast<std::ptrdiff_t>(edge.times * most);
  const auto end = begin + options_.topk;
  const auto place = std::upper_bound(begin, end, backup.ns);
  // The same implementation found again is no second success of this edge.
  if (backup.is_known && place != begin && *(place - 1) == backup.ns) return;
  ++edge.evaluations;
  if (place == end) return;
  std::move_backward(place, end - 1, end);
  *place = backup.ns;
}

void Tree::SetBest(double ns) {
  cut_ = std::min(cut_, ns * (1 - options_.epsilon));
  num_cut_ = static_cast<std::uint64_t>(
      std::ranges::count_if(edges_, [&](const Edge& edge) { return IsCut(edge); }));
}

void Tree::Update(std::uint32_t edge) {
  while (edge != 0) {
    Node& node = nodes_[edges_[edge].owner];
    double lower = kInfinity;
    bool is_closed = true;
    for (std::uint32_t child = node.first_edge; child < node.first_edge + node.num_edges; ++child) {
      lower = std::min(lower, Lower(edges_[child]));
      is_closed = is_closed && IsDead(child);
    }
    node.lower = lower;
    if (is_closed) edges_[node.edge].flags |= kClosed;
    edge = node.edge;
  }
}

double Tree::Lower(const Edge& edge) const {
  if (edge.death != Death::kNone) return kInfinity;
  return edge.child == kNone ? edge.bound : nodes_[edge.child].lower;
}

double Tree::LowerBound() const {
  return std::min(Lower(edges_[0]), cut_);
}

bool Tree::IsDead(std::uint32_t index) const {
  const Edge& edge = edges_[index];
  return edge.death != Death::kNone || edge.bound >= cut_ || Has(index, kClosed);
}

void Tree::ForEachEdge(const std::function<void(const EdgeView&)>& look) const {
  for (std::uint32_t index = 0; index < edges_.size(); ++index) {
    const Edge& edge = edges_[index];
    EdgeView view;
    if (edge.owner != kNone) {
      const Node& node = nodes_[edge.owner];
      view.above = node.edge;
      view.step = {static_cast<int>(node.decision), edge.value};
    }
    view.bound = edge.bound;
    view.visits = edge.visits;
    view.evaluations = edge.evaluations;
    view.is_dead_end = edge.death == Death::kDeadEnd;
    view.is_cut = IsCut(edge);
    view.is_done = IsDead(index) && !view.is_dead_end && !view.is_cut;
    look(view);
  }
}

bool Tree::HasFree() const {
  std::vector<std::uint32_t> left = {0};
  while (!left.empty()) {
    const std::uint32_t edge = left.back();
    left.pop_back();
    if (IsDead(edge) || Has(edge, kBusy)) continue;
    if (Has(edge, kLeaf) || edges_[edge].child == kNone) return true;
    const Node& node = nodes_[edges_[edge].child];
    for (std::uint32_t child = 0; child < node.num_edges; ++child) {
      left.push_back(node.first_edge + child);
    }
  }
  return false;
}

// ---- Look at it -------------------------------------------------------------------------------

std::span<const Tree::Edge> Tree::EdgesOf(const Node& node) const {
  return std::span(edges_).subspan(node.first_edge, node.num_edges);
}

std::span<const double> Tree::TimesOf(const Edge& edge) const {
  if (edge.times == kNone) return {};
  const auto most = static_cast<std::size_t>(options_.topk);
  return std::span(times_).subspan(edge.times * most,
                                   std::min<std::size_t>(edge.evaluations, most));
}

std::size_t Tree::num_bytes() const {
  return nodes_.capacity() * sizeof(Node) + edges_.capacity() * sizeof(Edge) +
         times_.capacity() * sizeof(double);
}

std::vector<bool> Tree::Deaths() const {
  std::vector<bool> dead(edges_.size());
  for (std::size_t index = 0; index < edges_.size(); ++index) {
    dead[index] = edges_[index].death != Death::kNone || edges_[index].bound >= cut_;
  }
  // Children are made after their parents, so that going backwards meets them first.
  for (std::size_t number = nodes_.size(); number-- > 0;) {
    const Node& node = nodes_[number];
    bool all = true;
    for (std::uint32_t edge = node.first_edge; edge < node.first_edge + node.num_edges; ++edge) {
      all = all && dead[edge];
    }
    if (all) dead[node.edge] = true;
  }
  return dead;
}

void Tree::Print(const std::function<void(const std::string&)>& out, const Names* names) const {
  // A cut kills edges that no selection has come by since. They are printed as dead all the same:
  // the text must not depend on which selections came after.
  const std::vector<bool> dead = Deaths();
  const auto value_text = [&](const Edge& edge) {
    if (names == nullptr) return fmt::to_string(edge.value);
    if (edge.owner == kNone) return std::string("all");
    const auto decision = static_cast<int>(nodes_[edge.owner].decision);
    return names->value({decision, edge.value});
  };
  const auto death_text = [&](Death death) {
    constexpr const char* kWords[] = {"-", "dead end", "evaluated", "empty"};
    const auto number = static_cast<std::size_t>(death);
    return names == nullptr ? fmt::to_string(number) : std::string(kWords[number]);
  };
  const auto edge_text = [&](std::uint32_t index) {
    const Edge& edge = edges_[index];
    std::string text =
        fmt::format("  {} bound {} visits {} evaluations {} death {}{}{}", value_text(edge),
                    edge.bound, edge.visits, edge.evaluations, death_text(edge.death),
                    dead[index] ? " dead" : "", Has(index, kBusy) ? " busy" : "");
    for (const double time : TimesOf(edge)) text += fmt::format(" {}", time);
    return text + "\n";
  };
  out(fmt::format("cut {}\nroot\n{}", cut_, edge_text(0)));
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    const Node& node = nodes_[number];
    const std::string decision = names == nullptr
                                     ? fmt::to_string(node.decision)
                                     : names->decision(static_cast<int>(node.decision));
    out(fmt::format("node {} below edge {}: decision {}\n", number, node.edge, decision));
    for (std::uint32_t edge = node.first_edge; edge < node.first_edge + node.num_edges; ++edge) {
      out(edge_text(edge));
    }
  }
}

std::string Tree::Text() const {
  std::string text;
  Print([&](const std::string& piece) { text += piece; }, nullptr);
  return text;
}

std::string Tree::Text(const Names& names) const {
  std::string text;
  Print([&](const std::string& piece) { text += piece; }, &names);
  return text;
}

std::string Tree::Digest() const {
  std::uint64_t hash = kFnvStart;
  Print([&](const std::string& piece) { hash = Fnv1a64(piece, hash); }, nullptr);
  return fmt::format("{:016x}", hash);
}

}  // namespace exh::search
