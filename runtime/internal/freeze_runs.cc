// SPDX-License-Identifier: MIT
//
// The runs that were found become lists of the network, slot by slot.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "runtime/internal/run_finder.h"

namespace exh::runtime::internal {

/// The groups become runs, slot by slot.
void RunFinder::Emit(std::vector<std::uint8_t>* covered) {
  RankTables();
  std::vector<Group> split;
  for (Group& group : groups_) SplitByTable(std::move(group), &split);
  groups_ = std::move(split);
  std::ranges::sort(groups_, {}, &Group::key);
  auto group = groups_.begin();
  for (Slot slot = 0; slot < network_.work.size(); ++slot) {
    SlotWork& work = network_.work[slot];
    work.pair_runs = static_cast<std::uint32_t>(network_.pair_runs.size());
    work.triple_runs = static_cast<std::uint32_t>(network_.triple_runs.size());
    work.clause_lists = static_cast<std::uint32_t>(network_.clause_lists.size());
    std::uint32_t values = 0;
    std::vector<ClauseRun> clauses;
    for (; group != groups_.end() && group->key.words[kSlotWord] == slot; ++group) {
      if (!clauses.empty() && group->key.words[kValuesWord] != values) EmitList(values, &clauses);
      values = group->key.words[kValuesWord];
      EmitGroup(*group, &clauses, covered);
    }
    if (!clauses.empty()) EmitList(values, &clauses);
  }
}

/// The clause runs of one list, those that can be filtered together side by side.
void RunFinder::EmitList(std::uint32_t values, std::vector<ClauseRun>* runs) {
  struct Entry {
    std::vector<PackedLiteral> rows;
    std::uint32_t lane = 0;
    ClauseRun run;
  };
  std::vector<Entry> entries;
  for (const ClauseRun& run : *runs) {
    Entry entry;
    entry.run = run;
    entry.lane = CellOf(run.scalars[0]) % kLanes;
    for (int i = 0; i < run.num_scalars; ++i) {
      const std::uint32_t cell = CellOf(run.scalars[i]);
      if (cell % kLanes != entry.lane) {
        entry.rows.clear();
        break;
      }
      entry.rows.push_back(PackLiteral(cell - entry.lane, ValuesOf(run.scalars[i])));
    }
    if (entry.rows.empty()) entry.lane = 0;
    entries.push_back(std::move(entry));
  }
  runs->clear();
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return std::tie(a.rows, a.lane) < std::tie(b.rows, b.lane);
  });
  ClauseRunList list{values, static_cast<std::uint32_t>(network_.clause_filters.size()), 0};
  const Entry* previous = nullptr;
  for (const Entry& entry : entries) {
    if (previous == nullptr || entry.rows.empty() || entry.rows != previous->rows ||
        entry.lane == previous->lane) {
      ClauseFilter filter;
      filter.first_run = static_cast<std::uint32_t>(network_.clause_runs.size());
      filter.num_rows = static_cast<std::uint8_t>(entry.rows.size());
      std::ranges::copy(entry.rows, filter.rows.begin());
      if (entry.rows.empty()) {
        filter.num_scalars = entry.run.num_scalars;
        filter.rows = entry.run.scalars;
      }
      network_.clause_filters.push_back(filter);
    }
    network_.clause_filters.back().lanes |= std::uint64_t{1} << entry.lane;
    network_.clause_runs.push_back(entry.run);
    previous = &entry;
  }
  list.end = static_cast<std::uint32_t>(network_.clause_filters.size());
  network_.clause_lists.push_back(list);
}

/// Do the table and that of the member say the same of all that its root domains allow? (Clauses
/// that the root satisfies are in the one and not in the other.)
bool RunFinder::Fits(const Key& key, std::uint32_t table, const Member& member) const {
  if (table == member.table) return true;
  const std::uint8_t* const one = network_.run_tables.data() + table;
  const std::uint8_t* const other = network_.run_tables.data() + member.table;
  const std::uint32_t widths = key.words[kLiteralWords + 2];
  const std::uint32_t stride = (widths >> 16) + (widths & 0xFFFF);
  for (unsigned v = 1; v <= member.root_from; v *= 2) {
    if ((member.root_from & v) == 0) continue;
    if (key.words[kKindWord] == kPairs) {
      if (((one[v] ^ other[v]) & member.root_b) != 0) return false;
      continue;
    }
    for (unsigned w = 1; w <= member.root_c; w *= 2) {
      const std::uint32_t at = 256 + v * stride + w;
      if ((member.root_c & w) != 0 && ((one[at] ^ other[at]) & member.root_b) != 0) return false;
    }
  }
  return true;
}

/// Which tables most constraints have, by kind of run and widths: the fewer of them are looked at,
/// the more of them the cache holds.
void RunFinder::RankTables() {
  std::map<TableKey, std::map<std::uint32_t, int>> uses;
  for (const Group& group : groups_) {
    if (group.key.words[kKindWord] == kClauses) continue;
    std::map<std::uint32_t, int>& of_kind = uses[KeyOf(group.key)];
    for (auto first = group.members.begin(); first != group.members.end();) {
      const auto next = std::find_if(first, group.members.end(), [&](const Member& member) {
        return member.table != first->table;
      });
      of_kind[first->table] += static_cast<int>(next - first);
      first = next;
    }
  }
  for (const auto& [key, tables] : uses) {
    std::vector<std::pair<int, std::uint32_t>> ranked;
    for (const auto& [table, count] : tables) ranked.emplace_back(-count, table);
    std::ranges::sort(ranked);
    if (ranked.size() > kMaxRanked) ranked.resize(kMaxRanked);
    for (const auto& [count, table] : ranked) ranked_[key].push_back(table);
  }
}

/// A popular table that fits all members; nothing when there is none.
std::optional<std::uint32_t> RunFinder::PopularTable(const Group& group) const {
  const auto ranked = ranked_.find(KeyOf(group.key));
  if (ranked == ranked_.end()) return std::nullopt;
  for (const std::uint32_t table : ranked->second) {
    if (std::ranges::all_of(group.members,
                            [&](const Member& member) { return Fits(group.key, table, member); })) {
      return table;
    }
  }
  return std::nullopt;
}

/// As few runs as possible: those with the commonest table first, and whatever it fits.
void RunFinder::SplitByTable(Group group, std::vector<Group>* split) const {
  if (group.members.size() < kMinLanes) return;
  if (group.key.words[kKindWord] != kClauses) {
    if (const std::optional<std::uint32_t> table = PopularTable(group)) {
      for (Member& member : group.members) member.table = *table;
      split->push_back(std::move(group));
      return;
    }
  }
  while (group.members.size() >= kMinLanes) {
    std::map<std::uint32_t, int> uses;
    for (const Member& member : group.members) ++uses[member.table];
    const std::uint32_t table =
        std::ranges::max_element(uses, {}, [](const auto& use) { return use.second; })->first;
    Group run{group.key, {}};
    const auto rest = std::ranges::stable_partition(
        group.members, [&](const Member& member) { return !Fits(group.key, table, member); });
    run.members.assign(rest.begin(), rest.end());
    group.members.erase(rest.begin(), rest.end());
    for (Member& member : run.members) member.table = table;
    if (run.members.size() >= kMinLanes) split->push_back(std::move(run));
  }
}

void RunFinder::EmitGroup(Group& group, std::vector<ClauseRun>* clauses,
                          std::vector<std::uint8_t>* covered) {
  const Key& key = group.key;
  Run run;
  run.presence = key.words[kPresenceWord];
  run.gate = key.words[kGateWord];
  run.first_constraint = static_cast<std::uint32_t>(network_.run_constraints.size());
  std::ranges::sort(group.members, {}, &Member::lane);
  for (const Member& member : group.members) {
    const std::uint64_t bit = std::uint64_t{1} << member.lane;
    (*covered)[member.constraint] |= static_cast<std::uint8_t>(1u << member.position);
    if ((run.lanes & bit) != 0) continue;  // The same once more.
    run.lanes |= bit;
    network_.run_constraints.push_back(member.constraint);
  }
  if (key.words[kKindWord] == kClauses) {
    Unpack(key, &clauses->emplace_back(ClauseRun{run}));
  } else if (key.words[kKindWord] == kPairs) {
    PairRun pairs{run};
    pairs.row = key.words[kLiteralWords];
    pairs.masks = group.members.front().table;
    network_.pair_runs.push_back(pairs);
  } else {
    TripleRun triples{run};
    triples.row_b = key.words[kLiteralWords];
    triples.row_c = key.words[kLiteralWords + 1];
    triples.table = group.members.front().table;
    triples.width_b = static_cast<std::uint16_t>(key.words[kLiteralWords + 2] >> 16);
    triples.width_c = static_cast<std::uint16_t>(key.words[kLiteralWords + 2] & 0xFFFF);
    network_.triple_runs.push_back(triples);
  }
}

std::vector<std::uint8_t> RunFinder::FindAll(FreezeTicker* ticker) {
  for (std::uint32_t id = 0; id < network_.constraints.size(); ++id) {
    ticker->Tick();
    switch (network_.constraints[id].kind) {
      case Constraint::Kind::kPairTable:
      case Constraint::Kind::kTripleTable:
        FindTable(id);
        break;
      case Constraint::Kind::kClause:
        FindClause(id);
        break;
      case Constraint::Kind::kWideTable:
        break;
    }
  }
  std::vector<std::uint8_t> covered(network_.constraints.size(), 0);
  Emit(&covered);
  return covered;
}

namespace {

/// Constraints that are not in runs alone come first, so that the queue is no longer than they are.
void PutLooseFirst(std::vector<std::uint8_t>* covered, Network* network) {
  const auto is_loose = [&](std::uint32_t id) {
    const Constraint& c = network->constraints[id];
    if (c.kind == Constraint::Kind::kWideTable) return true;
    if (c.kind != Constraint::Kind::kClause) return false;
    const std::uint32_t size = c.literal_end - c.literal_begin;
    return size > 8 || (*covered)[id] != (1u << size) - 1;
  };
  const std::size_t size = network->constraints.size();
  std::vector<std::uint32_t> order;
  for (std::uint32_t id = 0; id < size; ++id) {
    if (is_loose(id)) order.push_back(id);
  }
  network->num_loose = static_cast<std::uint32_t>(order.size());
  for (std::uint32_t id = 0; id < size; ++id) {
    if (!is_loose(id)) order.push_back(id);
  }
  std::vector<std::uint32_t> place(size);
  std::vector<Constraint> constraints;
  std::vector<std::uint8_t> covered_there;
  constraints.reserve(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    place[order[i]] = i;
    constraints.push_back(network->constraints[order[i]]);
    covered_there.push_back((*covered)[order[i]]);
  }
  for (std::uint32_t& id : network->run_constraints) id = place[id];
  network->constraints = std::move(constraints);
  *covered = std::move(covered_there);
}

}  // namespace

void IndexRuns(const Instance& instance, const RootDomains& root, FreezeTicker* ticker,
               Network* network) {
  RunFinder finder(instance, root, network);
  network->work.assign(instance.layout().num_slots() + 1, {});
  std::vector<std::uint8_t> covered = finder.FindAll(ticker);
  PutLooseFirst(&covered, network);
  finder.FindIncrements();
  IndexScalars(instance, &root, covered, network);
  network->covered = std::move(covered);
}

}  // namespace exh::runtime::internal
