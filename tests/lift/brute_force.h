// SPDX-License-Identifier: MIT
//
// A second opinion on lift.exh: trees of its own, and the rules written down once more, as the
// paper says them, over all assignments of codes. It uses nothing of examples/lift but the form of
// its files and the names of the rules.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"

namespace exh::tests {

struct Node {
  std::string name;
  int parent = -1;
  bool may_fuse = false, perfect = false, is_private = false, is_local = false,
       may_vectorise = false;
};
using Tree = std::vector<Node>;

/// Of `maps` nodes, with one root or several.
Tree RandomTree(int maps, Random& random);
/// One flag or one parent is another.
Tree Mutated(Tree tree, Random& random);
/// Other names, and another order in the file.
Tree Renamed(const Tree& tree, Random& random);
/// As a file.
std::string Json(const Tree& tree);

/// A bit each: what a mapping violates.
enum Violation : std::uint32_t {
  kPrivateScope = 1,
  kLocalScope = 2,
  kLocalStrict = 4,  ///< No group around local memory.
  kNoDuplicate = 8,
  kGroupsHaveLocals = 16,
  kHierarchy = 32,
  kExhaustive = 64,
  kGlobalAlone = 128,
  kFusion = 256,
  kFusionThrough = 512,  ///< Through maps that are fused.
  kMayFuse = 1024,
  kMayVectorise = 2048,
  kFusionNest = 4096,  ///< Of every map of a perfect nest, whatever lies between.
};

/// What a setting of the switches forbids; names as those of the sizes of the example, 0 or 1.
std::uint32_t Forbidden(const std::map<std::string, int>& switches);

/// By node, its code.
using Codes = std::vector<int>;
std::uint32_t Violations(const Tree& tree, const Codes& codes);
/// How many assignments violate what: 12 to the power of the nodes are looked at.
std::map<std::uint32_t, std::uint64_t> AllViolations(const Tree& tree);
/// Assignments that violate nothing of what is forbidden.
std::uint64_t CountValid(const std::map<std::uint32_t, std::uint64_t>& all,
                         std::uint32_t forbidden);

inline constexpr std::array<int, 12> kAllCodes = {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32};
inline constexpr std::array<const char*, 8> kRuleNames = {
    "private_scope", "local_scope", "no_duplicate", "groups_have_locals",
    "hierarchy",     "exhaustive",  "fusion",       "global_alone"};

/// All rules, neither strict nor through what is fused nor of whole nests.
std::map<std::string, int> DefaultSwitches();

}  // namespace exh::tests
