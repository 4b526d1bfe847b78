// SPDX-License-Identifier: MIT
#include "functional/lift/tree_file.h"

#include <algorithm>
#include <map>

#include "base/data_file.h"
#include "base/error.h"
#include "base/spelling.h"

namespace exh::lift {
namespace {

/// Perfect nests grow with its square.
constexpr std::size_t kMostMaps = 300;
constexpr std::int64_t kMostCounted = 1'000'000;
constexpr std::uint32_t kCodes[] = {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32};

[[noreturn]] void Refuse(const DataValue& value, const std::string& wanted) {
  throw Error("'" + value.place + "' must be " + wanted + ", not " +
              value.json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

bool FlagOf(const DataValue& value) {
  if (!value.json.is_boolean()) Refuse(value, "true or false");
  return value.json.get<bool>();
}

std::string TextOf(const DataValue& value) {
  if (!value.json.is_string()) Refuse(value, "a text");
  return value.json.get<std::string>();
}

std::string PlaceOf(std::size_t map) {
  return "maps[" + std::to_string(map) + "]";
}

std::vector<std::string> NamesOf(const std::vector<Map>& maps) {
  std::vector<std::string> names;
  for (const Map& map : maps) names.push_back(map.name_);
  return names;
}

std::size_t FindMap(const std::vector<Map>& maps, const std::string& name,
                    const std::string& place) {
  const auto found = std::ranges::find(maps, name, &Map::name_);
  if (found == maps.end()) {
    throw Error("'" + place + "': " + UnknownName("map", name, NamesOf(maps)));
  }
  return found->id;
}

/// Whoever goes from a map to its parent comes to a root.
void CheckCircles(const std::vector<Map>& maps) {
  for (const Map& map : maps) {
    std::string way = "'" + map.name_ + "'";
    std::vector<bool> seen(maps.size());
    for (std::optional<std::size_t> above = map.parent; above; above = maps[*above].parent) {
      way += " in '" + maps[*above].name_ + "'";
      if (*above == map.id) {
        throw Error("'" + PlaceOf(map.id) + ".parent': a map cannot be in itself: " + way +
                    "; the parent of an outermost map is null");
      }
      if (seen[*above]) break;  // A circle that this map is not in: it is told for another.
      seen[*above] = true;
    }
  }
}

void CheckNesting(const std::vector<Map>& maps) {
  std::vector<std::vector<std::size_t>> nested(maps.size());
  for (const Map& map : maps) {
    if (map.parent) nested[*map.parent].push_back(map.id);
    for (const auto& [flag, key] :
         {std::pair(map.may_fuse, "may_fuse"), std::pair(map.is_perfect, "perfect_in_parent")}) {
      if (!flag || map.parent) continue;
      throw Error("'" + PlaceOf(map.id) + "." + key + "' must be false: '" + map.name_ +
                  "' has no parent");
    }
  }
  for (const Map& map : maps) {
    if (map.may_vectorise && !nested[map.id].empty()) {
      throw Error("'" + PlaceOf(map.id) + ".may_vectorise' must be false: '" + map.name_ +
                  "' has '" + maps[nested[map.id].front()].name_ + "' in it");
    }
    if (!map.is_perfect || nested[*map.parent].size() == 1) continue;
    const std::size_t other = nested[*map.parent][nested[*map.parent].front() == map.id ? 1 : 0];
    throw Error("'" + PlaceOf(map.id) + ".perfect_in_parent' must be false: '" +
                maps[*map.parent].name_ + "' has '" + maps[other].name_ + "' in it as well");
  }
}

std::vector<Map> ReadMaps(const DataValue& list) {
  std::vector<Map> maps;
  for (const DataValue& value : ListOf(list, 1, kMostMaps)) {
    CheckKeys(value, {"name", "parent", "may_fuse", "perfect_in_parent", "private", "local"},
              {"artifact_number", "may_vectorise"});
    Map map;
    map.id = maps.size();
    map.name_ = NameOf(At(value, "name"));
    const auto same = std::ranges::find(maps, map.name_, &Map::name_);
    if (same != maps.end()) {
      throw Error("'" + value.place + ".name': there are two maps '" + map.name_ + "', the other " +
                  "is '" + PlaceOf(same->id) + "'");
    }
    map.may_fuse = FlagOf(At(value, "may_fuse"));
    map.is_perfect = FlagOf(At(value, "perfect_in_parent"));
    map.is_private = FlagOf(At(value, "private"));
    map.is_local = FlagOf(At(value, "local"));
    if (Has(value, "may_vectorise")) map.may_vectorise = FlagOf(At(value, "may_vectorise"));
    const DataValue parent = At(value, "parent");
    if (!parent.json.is_null() && !parent.json.is_string()) {
      Refuse(parent, "the name of a map, or null");
    }
    maps.push_back(std::move(map));
  }
  for (Map& map : maps) {
    const nlohmann::json& parent = list.json[map.id].at("parent");
    if (parent.is_null()) continue;
    map.parent = FindMap(maps, parent.get<std::string>(), PlaceOf(map.id) + ".parent");
  }
  CheckCircles(maps);
  CheckNesting(maps);
  return maps;
}

/// Returns what is said of all maps of the program.
std::optional<std::size_t> CheckCounts(const DataValue& said, const std::vector<Map>& maps) {
  const TreeCounts counts = CountsOf(MakeProgram(maps, {}));
  const std::map<std::string, std::size_t> known = {{"concrete", counts.concrete},
                                                    {"with_nested", counts.with_nested},
                                                    {"chains", counts.chains},
                                                    {"private", counts.private_maps},
                                                    {"local", counts.local_maps}};
  std::vector<std::string> keys = {"maps"};
  for (const auto& [key, count] : known) keys.push_back(key);
  CheckKeys(said, {}, keys);
  for (const auto& [key, count] : known) {
    if (!Has(said, key)) continue;
    const DataValue value = At(said, key);
    if (NumberOf(value, 0, kMostCounted) == static_cast<std::int64_t>(count)) continue;
    throw Error("'" + value.place + "' is " + value.json.dump() + ", but of the maps it is " +
                std::to_string(count));
  }
  if (!Has(said, "maps")) return std::nullopt;
  const auto least = static_cast<std::int64_t>(counts.concrete);
  return static_cast<std::size_t>(NumberOf(At(said, "maps"), least, kMostCounted));
}

std::uint32_t CodeOf(const DataValue& value) {
  const std::string wanted = "0 to 2, 10 to 12, 20 to 22 or 30 to 32";
  if (!value.json.is_number_integer()) Refuse(value, wanted);
  const auto code =
      std::ranges::find_if(kCodes, [&](std::uint32_t each) { return value.json == each; });
  if (code == std::end(kCodes)) Refuse(value, wanted);
  return *code;
}

void ReadCodes(const DataValue& value, const std::vector<Map>& maps, Mapping& mapping) {
  if (!value.json.is_object()) Refuse(value, "an object with names of maps");
  for (const auto& item : value.json.items()) {
    const DataValue codes{item.value(), value.place + "." + item.key()};
    std::vector<std::uint32_t> may_be;
    if (codes.json.is_array()) {
      for (const DataValue& code : ListOf(codes, 1, std::size(kCodes))) {
        may_be.push_back(CodeOf(code));
      }
    } else {
      may_be.push_back(CodeOf(codes));
    }
    mapping.codes.emplace_back(FindMap(maps, item.key(), codes.place), std::move(may_be));
  }
  std::ranges::sort(mapping.codes);
}

Mapping ReadMapping(const DataValue& value, const std::vector<Map>& maps) {
  CheckKeys(value, {"name", "codes"}, {"said"});
  Mapping mapping;
  mapping.name = NameOf(At(value, "name"));
  ReadCodes(At(value, "codes"), maps, mapping);
  if (Has(value, "said")) mapping.said = TextOf(At(value, "said"));
  return mapping;
}

}  // namespace

TreeFile ReadTree(const std::string& text) {
  const nlohmann::json json = ParseData(text);
  const DataValue file{json, ""};
  CheckKeys(file, {"maps"}, {"source", "counts", "manual_mapping", "mappings"});
  TreeFile tree;
  tree.maps = ReadMaps(At(file, "maps"));
  if (Has(file, "source")) tree.source = TextOf(At(file, "source"));
  if (Has(file, "counts")) tree.all_maps = CheckCounts(At(file, "counts"), tree.maps);
  if (Has(file, "manual_mapping")) {
    Mapping manual;
    manual.name = "manual";
    ReadCodes(At(file, "manual_mapping"), tree.maps, manual);
    tree.mappings.push_back(std::move(manual));
  }
  if (Has(file, "mappings")) {
    for (const DataValue& value : ListOf(At(file, "mappings"), 0, 1000)) {
      tree.mappings.push_back(ReadMapping(value, tree.maps));
    }
  }
  return tree;
}

}  // namespace exh::lift
