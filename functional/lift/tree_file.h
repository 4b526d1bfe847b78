// SPDX-License-Identifier: MIT
//
// Trees of maps as JSON files:
//
//   {"maps": [{"name": "A", "parent": null, "may_fuse": false, "perfect_in_parent": false,
//              "private": false, "local": false}, …],
//    "source": "where it is from", "counts": {"concrete": 5, …},
//    "manual_mapping": {"A": 20, "B": [0, 1]},
//    "mappings": [{"name": "M1", "codes": {"A": 30}, "said": "valid"}, …]}
//
// Only `maps` is needed; of a map, also `may_vectorise` may be there. What is said of counts must
// be so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "functional/lift/program.h"

namespace exh::lift {

/// How maps of a tree run, as somebody proposes it.
struct Mapping {
  std::string name;
  /// By map, the codes that it may have; of maps that are not here nothing is said.
  std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> codes;
  std::string said;  ///< What its author says of it.
};

struct TreeFile {
  std::string source;
  std::vector<Map> maps;
  /// Of all maps of the program, those that write no memory included; the tree does not tell.
  std::optional<std::size_t> all_maps;
  std::vector<Mapping> mappings;
};

/// Throws exh::Error that says where in the text what is wrong, and what would be right.
TreeFile ReadTree(const std::string& text);

}  // namespace exh::lift
