// SPDX-License-Identifier: MIT
#include "functional/lift/program.h"

#include <utility>

namespace exh::lift {
namespace {

std::vector<Slot> AllSlots() {
  std::vector<Slot> slots;
  for (const auto& [level, letter] :
       {std::pair(10u, 'L'), std::pair(20u, 'W'), std::pair(30u, 'G')}) {
    for (std::uint32_t dimension = 0; dimension < 3; ++dimension) {
      slots.push_back({slots.size(), level + dimension, letter + std::to_string(dimension)});
    }
  }
  return slots;
}

/// Whether a map has others in it.
std::vector<bool> HaveNested(const std::vector<Map>& maps) {
  std::vector<bool> have(maps.size());
  for (const Map& map : maps) {
    if (map.parent) have[*map.parent] = true;
  }
  return have;
}

}  // namespace

Program MakeProgram(std::vector<Map> maps, const Rules& rules) {
  Program program;
  program.maps = std::move(maps);
  program.rules = rules;
  program.slots = AllSlots();
  const std::vector<bool> have_nested = HaveNested(program.maps);
  for (const Map& leaf : program.maps) {
    if (have_nested[leaf.id]) continue;
    Chain chain{program.chains.size(), {}, leaf.name_};
    for (std::optional<std::size_t> map = leaf.id; map; map = program.maps[*map].parent) {
      chain.maps.insert(chain.maps.begin(), *map);
    }
    program.chains.push_back(std::move(chain));
  }
  for (const Map& last : program.maps) {
    std::vector<std::size_t> nest = {last.id};
    while (program.maps[nest.front()].is_perfect) {
      nest.insert(nest.begin(), *program.maps[nest.front()].parent);
      program.runs.push_back({program.runs.size(), nest});
      if (!rules.through_fused && !rules.whole_nest) break;
    }
  }
  return program;
}

TreeCounts CountsOf(const Program& program) {
  TreeCounts counts;
  counts.concrete = program.maps.size();
  counts.chains = program.chains.size();
  const std::vector<bool> have_nested = HaveNested(program.maps);
  counts.with_nested = static_cast<std::size_t>(std::ranges::count(have_nested, true));
  counts.private_maps = program.private_maps().size();
  counts.local_maps = program.local_maps().size();
  return counts;
}

}  // namespace exh::lift
