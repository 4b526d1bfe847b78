// SPDX-License-Identifier: MIT
#include "tests/lift/brute_force.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

namespace exh::tests {
namespace {

int CountChildren(const Tree& tree, int parent) {
  return static_cast<int>(std::ranges::count(tree, parent, &Node::parent));
}

/// Flags that the place of a node in the tree does not allow are taken away.
void Repair(Tree& tree) {
  for (Node& node : tree) {
    if (node.parent < 0) node.may_fuse = node.perfect = false;
    if (CountChildren(tree, static_cast<int>(&node - tree.data())) > 0) node.may_vectorise = false;
    if (node.parent >= 0 && CountChildren(tree, node.parent) > 1) node.perfect = false;
  }
}

bool Flip(Random& random, std::size_t in) {
  return random.Below(in) == 0;
}

Node& At(Tree& tree, int node) {
  return tree[static_cast<std::size_t>(node)];
}
const Node& At(const Tree& tree, int node) {
  return tree[static_cast<std::size_t>(node)];
}
int At(const Codes& codes, int node) {
  return codes[static_cast<std::size_t>(node)];
}

bool HasAbove(const Tree& tree, int node, int other) {
  for (int up = At(tree, node).parent; up >= 0; up = At(tree, up).parent) {
    if (up == other) return true;
  }
  return false;
}

/// Slots that the nodes from a leaf to the root run on.
std::set<int> SlotsOfChain(const Tree& tree, const Codes& codes, int leaf) {
  std::set<int> slots;
  for (int node = leaf; node >= 0; node = At(tree, node).parent) {
    if (At(codes, node) >= 10) slots.insert(At(codes, node));
  }
  return slots;
}

std::uint32_t LocalScope(const Tree& tree, const Codes& codes, int node) {
  std::uint32_t violations = 0;
  if (At(codes, node) >= 20) violations |= kLocalScope;
  std::set<int> around;
  for (int up = At(tree, node).parent; up >= 0; up = At(tree, up).parent) {
    if (At(codes, up) / 10 == 2) around.insert(At(codes, up));
  }
  if (around.empty()) violations |= kLocalStrict;
  for (int leaf = 0; leaf < static_cast<int>(tree.size()); ++leaf) {
    if (CountChildren(tree, leaf) > 0 || (leaf != node && !HasAbove(tree, leaf, node))) continue;
    for (const int slot : SlotsOfChain(tree, codes, leaf)) {
      if (slot / 10 == 2 && !around.contains(slot)) violations |= kLocalScope;
    }
  }
  return violations;
}

std::uint32_t Fusion(const Tree& tree, const Codes& codes, int node) {
  if (At(codes, node) != 0 || !At(tree, node).perfect) return 0;
  std::uint32_t violations = 0;
  bool direct = true, fused = true;
  for (int up = At(tree, node).parent;; up = At(tree, up).parent) {
    if (At(codes, up) == 0) {
      violations |= kFusionNest;
      if (direct) violations |= kFusion;
      if (!direct && fused) violations |= kFusionThrough;
    }
    direct = false;
    fused = fused && At(codes, up) == 1;
    if (!At(tree, up).perfect) return violations;
  }
}

}  // namespace

Tree RandomTree(int maps, Random& random) {
  Tree tree;
  for (int node = 0; node < maps; ++node) {
    Node made;
    made.name = std::string(1, static_cast<char>('a' + node));
    // Chains more often than chance would make them.
    made.parent = node - 1;
    if (node > 0 && Flip(random, 2)) {
      made.parent = static_cast<int>(random.Below(static_cast<std::size_t>(node)));
    }
    if (Flip(random, 8)) made.parent = -1;
    made.may_fuse = Flip(random, 2);
    made.perfect = Flip(random, 2);
    made.is_private = Flip(random, 4);
    made.is_local = Flip(random, 3);
    made.may_vectorise = Flip(random, 2);
    tree.push_back(made);
  }
  Repair(tree);
  return tree;
}

Tree Mutated(Tree tree, Random& random) {
  const int node = static_cast<int>(random.Below(tree.size()));
  switch (random.Below(6)) {
    case 0:
      At(tree, node).may_fuse = !At(tree, node).may_fuse;
      break;
    case 1:
      At(tree, node).perfect = !At(tree, node).perfect;
      break;
    case 2:
      At(tree, node).is_private = !At(tree, node).is_private;
      break;
    case 3:
      At(tree, node).is_local = !At(tree, node).is_local;
      break;
    case 4:
      At(tree, node).may_vectorise = !At(tree, node).may_vectorise;
      break;
    default: {
      const int parent = static_cast<int>(random.Below(tree.size() + 1)) - 1;
      if (parent != node && (parent < 0 || !HasAbove(tree, parent, node))) {
        At(tree, node).parent = parent;
      }
    }
  }
  Repair(tree);
  return tree;
}

Tree Renamed(const Tree& tree, Random& random) {
  std::vector<int> order(tree.size());  // New place to old one.
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[random.Below(left)]);
  }
  Tree renamed;
  for (const int old : order) {
    Node node = At(tree, old);
    node.name = "x" + std::to_string(random.Below(1000)) + "_" + node.name;
    if (node.parent >= 0) {
      node.parent = static_cast<int>(std::ranges::find(order, node.parent) - order.begin());
    }
    renamed.push_back(node);
  }
  return renamed;
}

std::string Json(const Tree& tree) {
  nlohmann::json maps = nlohmann::json::array();
  for (const Node& node : tree) {
    nlohmann::json parent;
    if (node.parent >= 0) parent = At(tree, node.parent).name;
    maps.push_back({{"name", node.name},
                    {"parent", parent},
                    {"may_fuse", node.may_fuse},
                    {"perfect_in_parent", node.perfect},
                    {"private", node.is_private},
                    {"local", node.is_local},
                    {"may_vectorise", node.may_vectorise}});
  }
  return nlohmann::json{{"maps", maps}}.dump(1);
}

std::map<std::string, int> DefaultSwitches() {
  std::map<std::string, int> switches = {{"strict", 0}, {"through_fused", 0}, {"whole_nest", 0}};
  for (const char* name : kRuleNames) switches[name] = 1;
  return switches;
}

std::uint32_t Forbidden(const std::map<std::string, int>& switches) {
  std::uint32_t forbidden = kMayFuse | kMayVectorise;
  const auto add = [&](const char* name, std::uint32_t violations) {
    if (switches.at(name) != 0) forbidden |= violations;
  };
  add("private_scope", kPrivateScope);
  add("local_scope", kLocalScope);
  if (switches.at("strict") != 0) add("local_scope", kLocalStrict);
  add("no_duplicate", kNoDuplicate);
  add("groups_have_locals", kGroupsHaveLocals);
  add("hierarchy", kHierarchy);
  add("exhaustive", kExhaustive);
  add("global_alone", kGlobalAlone);
  add("fusion", kFusion);
  if (switches.at("through_fused") != 0) add("fusion", kFusionThrough);
  if (switches.at("whole_nest") != 0) add("fusion", kFusionNest);
  return forbidden;
}

std::uint32_t Violations(const Tree& tree, const Codes& codes) {
  std::uint32_t violations = 0;
  bool is_global = false, is_grouped = false;
  std::set<std::set<int>> used;
  for (int node = 0; node < static_cast<int>(tree.size()); ++node) {
    const Node& map = At(tree, node);
    const int code = At(codes, node);
    is_global |= code / 10 == 3;
    is_grouped |= code / 10 == 1 || code / 10 == 2;
    if (code == 1 && !map.may_fuse) violations |= kMayFuse;
    if (code == 2 && !map.may_vectorise) violations |= kMayVectorise;
    if (map.is_private && code >= 10) violations |= kPrivateScope;
    if (map.is_local) violations |= LocalScope(tree, codes, node);
    for (int up = map.parent; up >= 0; up = At(tree, up).parent) {
      if (code >= 10 && At(codes, up) == code) violations |= kNoDuplicate;
      if (code / 10 == 2 && At(codes, up) == code - 10) violations |= kHierarchy;
    }
    violations |= Fusion(tree, codes, node);
    if (CountChildren(tree, node) > 0) continue;
    const std::set<int> slots = SlotsOfChain(tree, codes, node);
    used.insert(slots);
    for (int dimension = 0; dimension < 3; ++dimension) {
      if (slots.contains(10 + dimension) != slots.contains(20 + dimension)) {
        violations |= kGroupsHaveLocals;
      }
    }
  }
  if (used.size() > 1) violations |= kExhaustive;
  if (is_global && is_grouped) violations |= kGlobalAlone;
  return violations;
}

std::map<std::uint32_t, std::uint64_t> AllViolations(const Tree& tree) {
  std::map<std::uint32_t, std::uint64_t> all;
  std::vector<std::size_t> wheels(tree.size());
  Codes codes(tree.size());
  while (true) {
    for (std::size_t node = 0; node < tree.size(); ++node) codes[node] = kAllCodes[wheels[node]];
    ++all[Violations(tree, codes)];
    std::size_t turned = 0;
    while (turned < wheels.size() && ++wheels[turned] == kAllCodes.size()) wheels[turned++] = 0;
    if (turned == wheels.size()) return all;
  }
}

std::uint64_t CountValid(const std::map<std::uint32_t, std::uint64_t>& all,
                         std::uint32_t forbidden) {
  std::uint64_t count = 0;
  for (const auto& [violations, assignments] : all) {
    if ((violations & forbidden) == 0) count += assignments;
  }
  return count;
}

}  // namespace exh::tests
