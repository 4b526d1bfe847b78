// SPDX-License-Identifier: MIT
#include "runtime/internal/network/uniform_lanes.h"

#include <algorithm>
#include <bit>

#include "runtime/internal/network/relation_store.h"
#include "runtime/internal/network/row_places.h"

namespace exh::runtime::internal {

UniformLanes::UniformLanes(const Instance& instance)
    : instance_(instance),
      network_(instance.network()),
      uniform_(network_.uniform),
      root_(instance.root().bytes()) {
  const auto num_gates = static_cast<std::uint32_t>(network_.gates.slots.begin.size() - 1);
  for (std::uint32_t gate = 0; gate < num_gates; ++gate) {
    const auto slots = network_.gates.slots.list(gate);
    gates_.emplace(std::vector<Slot>(slots.begin(), slots.end()), gate);
  }
}

template <typename Use>
void UniformLanes::ForEachPair(std::uint32_t rows, std::uint32_t num_words, const Use& use) const {
  for (std::size_t block = 0; block < uniform_.blocks.size(); ++block) {
    const UniformBlock& at = uniform_.blocks[block];
    const std::size_t row = std::size_t{rows} + at.row;
    if (at.first != 0 || row >= uniform_.rows.size() || uniform_.rows[row] != block * kLanes)
      continue;
    for (std::uint32_t lane = 0; lane < num_words * kLanes; ++lane) {
      const auto cell = static_cast<Slot>(block * kLanes + lane);
      if (instance_.decision_at(cell) == kNoDecision || network_.cells[cell].slot != cell) continue;
      use(cell, at.row, static_cast<Object>(lane));
    }
  }
}

template <typename Use>
void UniformLanes::ByGate(std::uint32_t memberships, std::array<Object, 2> objects,
                          std::uint32_t word, std::uint64_t lanes, const Use& use) {
  const Slot* const of = uniform_.memberships.data() + memberships;
  while (lanes != 0) {
    const auto object = [&](std::uint64_t bits) {
      return word * kLanes + static_cast<std::uint32_t>(std::countr_zero(bits));
    };
    const Slot waits_for = of[object(lanes)];
    std::uint64_t alike = 0;
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      if (of[object(rest)] == waits_for) alike |= rest & (~rest + 1);
    }
    std::vector<Slot> slots = {of[objects[0]], of[objects[1]], waits_for};
    std::erase(slots, RowPlaces::kAlwaysThere);
    std::ranges::sort(slots);
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    // What can never be there has no gate, and says nothing.
    if (const auto gate = gates_.find(slots); gate != gates_.end()) use(alike, gate->second);
    lanes &= ~alike;
  }
}

std::uint64_t UniformLanes::OpenLanes(std::uint32_t number,
                                      const std::array<std::uint32_t, 3>& cells,
                                      std::uint64_t lanes) {
  std::uint64_t open = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    const std::array<Bits, kMaxTableArity> domains = {root_[cells[0]], root_[cells[1] + lane],
                                                      root_[cells[2] + lane]};
    const auto [known, is_new] = entailed_.try_emplace(
        {number, static_cast<std::uint32_t>(domains[0]), static_cast<std::uint32_t>(domains[1]),
         static_cast<std::uint32_t>(domains[2])},
        false);
    if (is_new) {
      const Relation& relation = network_.relations[number];
      const Bits target = domains[relation.mask_position];
      known->second =
          !AnyMask(network_, relation, domains, [&](Bits mask) { return (target & ~mask) != 0; });
    }
    if (!known->second) open |= lanes & (~lanes + 1);
  }
  return open;
}

std::uint64_t UniformLanes::OpenLanes(const LaneClause& clause, std::uint64_t lanes) const {
  for (int i = 0; i < clause.size(); ++i) {
    const std::uint32_t cell = CellOf(clause.literals[i]);
    const std::uint8_t values = ValuesOf(clause.literals[i]);
    if (i < clause.num_scalars) {
      if ((root_[cell] & ~values) == 0) return 0;
      continue;
    }
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const std::uint8_t domain = root_[cell + static_cast<std::uint32_t>(std::countr_zero(rest))];
      if ((domain & ~values) == 0) lanes &= ~(rest & (~rest + 1));
    }
  }
  return lanes;
}

void UniformLanes::ForEachTable(const std::function<void(const LaneTable&)>& use) {
  for (const UniformTables& tables : uniform_.tables) {
    const Slot* const rows = uniform_.rows.data() + tables.rows;
    const std::uint8_t* const types = uniform_.types.data() + tables.types;
    const auto at_pair = [&](Slot slot, Object a, Object b) {
      const std::uint32_t* const begin =
          uniform_.part_begin.data() + tables.parts + types[a] * tables.num_types + types[b];
      for (std::uint32_t p = begin[0]; p < begin[1]; ++p) {
        const UniformPart& part = uniform_.parts[p];
        for (std::uint32_t word = std::max(a, b) / kLanes; word < tables.num_words; ++word) {
          const std::uint64_t behind = LanesAfter({0, std::max(a, b)}, 0, word * kLanes);
          const std::array<std::uint32_t, 3> cells = {slot, rows[a] + word * kLanes,
                                                      rows[b] + word * kLanes};
          const std::uint64_t open =
              OpenLanes(part.relation, cells, uniform_.lanes[part.lanes + word] & behind);
          ByGate(tables.memberships, {a, b}, word, open,
                 [&](std::uint64_t lanes, std::uint32_t gate) {
                   LaneTable table;
                   table.lanes = lanes;
                   table.cells = cells;
                   table.relation = part.relation;
                   table.gate = gate;
                   table.arity = 3;
                   table.num_scalars = 1;
                   use(table);
                 });
        }
      }
    };
    ForEachPair(tables.rows, tables.num_words, at_pair);
  }
}

void UniformLanes::ForEachClause(const std::function<void(const LaneClause&)>& use) {
  for (std::size_t block = 0; block < uniform_.blocks.size(); ++block) {
    const UniformBlock& at = uniform_.blocks[block];
    for (std::uint32_t c = at.clause_begin; c < at.clause_end; ++c) {
      const UniformClause& clause = uniform_.clauses[c];
      if (!clause.is_first) continue;
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const auto slot = static_cast<Slot>(block * kLanes + lane);
        if (instance_.decision_at(slot) == kNoDecision || network_.cells[slot].slot != slot) {
          continue;
        }
        std::array<Object, 4> objects{};
        objects[clause.row] = at.row;
        objects[clause.lane] = static_cast<Object>(at.first + lane);
        const auto is_member = [&](std::uint8_t variable) {
          const Object object = objects[variable];
          return (uniform_.lanes[clause.members[variable] + object / kLanes] >> object % kLanes &
                  1) != 0;
        };
        if (!is_member(clause.row) || !is_member(clause.lane)) continue;
        for (std::uint32_t word = 0; word < clause.num_words; ++word) {
          std::uint64_t lanes = uniform_.lanes[clause.members[clause.inner] + word];
          lanes &= ~BitOf(objects[clause.row], word) & ~BitOf(objects[clause.lane], word);
          if (lanes == 0) continue;
          LaneClause written;
          written.origin = clause.origin;
          int size = 0;
          written.literals[size++] = PackLiteral(slot, clause.values);
          for (int i = 0; i < clause.num_scalars; ++i) {
            // As a slot: what lanes share is not mirrored.
            const UniformLiteral& literal = clause.scalars[i];
            std::uint32_t cell = uniform_.CellOf(literal, objects);
            std::uint8_t values = literal.values;
            if (network_.cells[cell].slot != cell) {
              values = network_.inverses[network_.cells[cell].inverse][values];
              cell = network_.cells[cell].slot;
            }
            written.literals[size++] = PackLiteral(cell, values);
          }
          written.num_scalars = static_cast<std::uint8_t>(size);
          for (int i = 0; i < clause.num_rows; ++i) {
            std::array<Object, 4> of_row = objects;
            of_row[clause.inner] = 0;
            written.literals[size++] = PackLiteral(
                uniform_.CellOf(clause.rows[i], of_row) + word * kLanes, clause.rows[i].values);
          }
          written.num_rows = clause.num_rows;
          ByGate(clause.memberships, {objects[clause.row], objects[clause.lane]}, word,
                 OpenLanes(written, lanes), [&](std::uint64_t of_gate, std::uint32_t gate) {
                   LaneClause part = written;
                   part.lanes = of_gate;
                   part.gate = gate;
                   use(part);
                 });
        }
      }
    }
  }
}

}  // namespace exh::runtime::internal
