// SPDX-License-Identifier: MIT
//
// The backbone of lift.exh: the tree of maps of a functional program, and which rules hold.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace exh::lift {

/// A map whose function writes memory.
struct Map {
  std::size_t id = 0;
  std::string name_;
  std::optional<std::size_t> parent;  ///< The map that it is in.
  bool may_fuse = false;              ///< It is the whole body of its parent.
  bool is_perfect = false;  ///< And it is applied to what its parent is applied to, as it is.
  bool is_private = false;  ///< It reads or writes private memory.
  bool is_local = false;    ///< It reads or writes local memory.
  /// It has no maps in it, and what it reads and writes of its elements lies side by side.
  bool may_vectorise = false;
  const std::string& name() const { return name_; }
  friend bool operator==(const Map&, const Map&) = default;
};

/// A way from a root to a leaf, after which it is called.
struct Chain {
  std::size_t id = 0;
  std::vector<std::size_t> maps;  ///< From the outside to the inside.
  std::string name_;
  const std::string& name() const { return name_; }
};

/// A level of parallelism and its dimension.
struct Slot {
  std::size_t id = 0;
  std::uint32_t code = 0;  ///< Of a map that runs on it.
  std::string name_;
  bool is_group() const { return code / 10 == 2; }
  const std::string& name() const { return name_; }
};

/// A perfect nest of two maps or more.
struct Run {
  std::size_t id = 0;
  std::vector<std::size_t> maps;  ///< From the outside to the inside.
};

/// Which rules hold: lift.exh says what each of them asks for.
struct Rules {
  bool private_scope = true, local_scope = true, no_duplicate = true, groups_have_locals = true,
       hierarchy = true, exhaustive = true, global_alone = true, fusion = true;
  bool strict = false;         ///< local_scope as the published code has it.
  bool through_fused = false;  ///< fusion looks through maps that are fused.
  /// fusion as the published code has it: every map of a perfect nest, whatever lies between.
  bool whole_nest = false;
};

/// A rule that can be dropped, by its name.
struct LiftRule {
  const char* name;
  bool Rules::*holds;
  const char* what;
};
inline constexpr std::array<LiftRule, 8> kRules = {{
    {"private_scope", &Rules::private_scope, "rule 1: private memory is not shared"},
    {"local_scope", &Rules::local_scope, "rule 2: local memory is shared within a group"},
    {"no_duplicate", &Rules::no_duplicate, "rule 3: no slot twice, one in the other"},
    {"groups_have_locals", &Rules::groups_have_locals, "rules 4 and 5: groups have threads"},
    {"hierarchy", &Rules::hierarchy, "rule 6: groups are outside of their threads"},
    {"exhaustive", &Rules::exhaustive, "rule 7: all chains use the same slots"},
    {"fusion", &Rules::fusion, "rule 8: perfect nests in sequence are fused"},
    {"global_alone", &Rules::global_alone, "rule 9: the whole device or groups, not both"},
}};

/// Names in lower case are what lift.exh asks for. The `if_…` are null for what is not in the set.
struct Program {
  std::vector<Map> maps;
  std::vector<Chain> chains;
  std::vector<Slot> slots;
  std::vector<Run> runs;
  Rules rules;

  std::vector<Map> private_maps() const { return Those(&Map::is_private); }
  const Map* as_private(const Map& map) const { return map.is_private ? &maps[map.id] : nullptr; }
  std::vector<Map> local_maps() const { return Those(&Map::is_local); }
  const Map* as_local(const Map& map) const { return map.is_local ? &maps[map.id] : nullptr; }

  bool IsInner(std::size_t outer, std::size_t map) const {
    for (std::optional<std::size_t> above = maps[map].parent; above; above = maps[*above].parent) {
      if (*above == outer) return true;
    }
    return false;
  }
  std::vector<Map> inner(const Map& outer) const {
    std::vector<Map> all;
    for (const Map& map : maps) {
      if (IsInner(outer.id, map.id)) all.push_back(map);
    }
    return all;
  }
  const Map* if_inner(const Map& outer, const Map& map) const {
    return IsInner(outer.id, map.id) ? &maps[map.id] : nullptr;
  }
  std::vector<Map> outer(const Map& inner) const {
    std::vector<Map> all;
    for (auto above = inner.parent; above; above = maps[*above].parent) {
      all.push_back(maps[*above]);
    }
    return all;
  }
  const Map* if_outer(const Map& inner, const Map& map) const {
    return IsInner(map.id, inner.id) ? &maps[map.id] : nullptr;
  }

  std::vector<Map> maps_of(const Chain& chain) const { return Those(chain.maps); }
  const Map* if_in(const Chain& chain, const Map& map) const { return If(chain.maps, map); }
  std::vector<Chain> chains_through(const Map& map) const {
    std::vector<Chain> all;
    for (const Chain& chain : chains) {
      if (if_in(chain, map) != nullptr) all.push_back(chain);
    }
    return all;
  }
  const Chain* if_through(const Map& map, const Chain& chain) const {
    return if_in(chain, map) != nullptr ? &chains[chain.id] : nullptr;
  }

  std::vector<Slot> group_slots() const {
    std::vector<Slot> all;
    for (const Slot& slot : slots) {
      if (slot.is_group()) all.push_back(slot);
    }
    return all;
  }
  const Slot* as_group(const Slot& slot) const {
    return slot.is_group() ? &slots[slot.id] : nullptr;
  }
  std::vector<Slot> twin(const Slot& group) const {
    std::vector<Slot> all;
    for (const Slot& slot : slots) {
      if (if_twin(group, slot) != nullptr) all.push_back(slot);
    }
    return all;
  }
  const Slot* if_twin(const Slot& group, const Slot& slot) const {
    return slot.code + 10 == group.code ? &slots[slot.id] : nullptr;
  }

  std::vector<Map> first(const Run& run) const { return {maps[run.maps.front()]}; }
  const Map* if_first(const Run& run, const Map& map) const {
    return run.maps.front() == map.id ? &maps[map.id] : nullptr;
  }
  std::vector<Map> between(const Run& run) const { return Those(Inside(run)); }
  const Map* if_between(const Run& run, const Map& map) const { return If(Inside(run), map); }
  std::vector<Map> last(const Run& run) const { return {maps[run.maps.back()]}; }
  const Map* if_last(const Run& run, const Map& map) const {
    return run.maps.back() == map.id ? &maps[map.id] : nullptr;
  }

 private:
  std::vector<Map> Those(bool Map::*flag) const {
    std::vector<Map> all;
    for (const Map& map : maps) {
      if (map.*flag) all.push_back(map);
    }
    return all;
  }
  std::vector<Map> Those(const std::vector<std::size_t>& ids) const {
    std::vector<Map> all;
    for (const std::size_t id : ids) all.push_back(maps[id]);
    return all;
  }
  const Map* If(const std::vector<std::size_t>& ids, const Map& map) const {
    return std::ranges::find(ids, map.id) == ids.end() ? nullptr : &maps[map.id];
  }
  static std::vector<std::size_t> Inside(const Run& run) {
    return {run.maps.begin() + 1, run.maps.end() - 1};
  }
};

/// Derives chains and runs. The parents of the maps make trees; their ids are their places.
Program MakeProgram(std::vector<Map> maps, const Rules& rules);

/// What the rules are said for, by the tree alone.
struct TreeCounts {
  std::size_t concrete = 0;     ///< Maps.
  std::size_t with_nested = 0;  ///< Those with maps in them: rules 3 and 6 are said for each.
  std::size_t chains = 0;       ///< Rule 7 is.
  std::size_t private_maps = 0, local_maps = 0;  ///< Rules 1 and 2 are.
  friend bool operator==(const TreeCounts&, const TreeCounts&) = default;
};
TreeCounts CountsOf(const Program& program);

}  // namespace exh::lift
