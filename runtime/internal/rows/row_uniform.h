// SPDX-License-Identifier: MIT
//
// RowUniform: runs what is uniform (uniform.h). From the cell of the slot follow its objects, from
// these the rows; then it is a run like any other (row_runs.h), made where it is used.
//
// A clause over x, y and z whose literal on f(x) has become false: x is the object a of the slot.
// Of the objects y 64 are looked at together: those for which a literal without z holds, or two are
// open, need no look at z (as RunFilter() does). For each of the others the lanes are z.
//
// Included once by each file with kernels, after it has defined EXH_ROW_TARGET: the loop is
// compiled for each instruction set, so that the kernels are inlined into it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "runtime/internal/rows/row_runs.h"

namespace exh::runtime::internal {

template <typename Rows>
class RowUniform : public RowRuns<Rows> {
 public:
  using RowRuns<Rows>::RowRuns;

  EXH_ROW_TARGET bool RunUniformTables(Slot slot, const UniformBlock& at, std::uint8_t before,
                                       std::uint8_t now) {
    // In locals: cells are bytes, which a compiler has to take for anything else that is written.
    const Uniform& uniform = network_.uniform;
    const UniformTables& tables = uniform.tables[at.tables];
    const auto a = at.row, b = static_cast<Object>(at.first + slot % kLanes);
    const std::uint8_t* const types = uniform.types.data() + tables.types;
    const std::uint32_t* const begin =
        uniform.part_begin.data() + tables.parts + types[a] * tables.num_types + types[b];
    const Slot* const rows = uniform.rows.data() + tables.rows;
    const Slot row_a = rows[a], row_b = rows[b];
    const std::uint64_t* const presence = &state_.presence(layout_, tables.presence);
    const std::uint32_t presence_step = tables.presence == 0 ? 0 : 1, num_words = tables.num_words;
    const UniformPart* const end = uniform.parts.data() + begin[1];
    TripleRun run;
    run.slot = slot;
    for (const UniformPart* part = uniform.parts.data() + begin[0]; part != end; ++part) {
      const std::uint8_t* const classes = network_.run_tables.data() + part->table;
      if (classes[before] == classes[now] || classes[now] == kUniversalClass) continue;
      run.blame = part->relation;
      run.table = part->table;
      run.width_b = part->width_b;
      run.width_c = part->width_c;
      const std::uint64_t* const of_part = uniform.lanes.data() + part->lanes;
      for (std::uint32_t word = 0; word < num_words; ++word) {
        const std::uint64_t lanes =
            of_part[word] & presence[word * presence_step] & ~BitOf(a, word) & ~BitOf(b, word);
        if (lanes == 0) continue;
        run.row_b = row_a + word * kLanes;
        run.row_c = row_b + word * kLanes;
        if (!this->RunTripleRun(run, now, lanes)) return false;
      }
    }
    return true;
  }

  EXH_ROW_TARGET bool RunUniformClauses(Slot slot, const UniformBlock& at, std::uint8_t before,
                                        std::uint8_t now) {
    const Uniform& uniform = network_.uniform;
    for (std::uint32_t c = at.clause_begin; c < at.clause_end; ++c) {
      const UniformClause& clause = uniform.clauses[c];
      if ((now & clause.values) != 0 || (before & clause.values) == 0) continue;
      std::array<Object, 4> objects{};
      objects[clause.row] = at.row;
      objects[kNoVariable] = 0;
      objects[clause.lane] = static_cast<Object>(at.first + slot % kLanes);
      if (!IsMember(clause, clause.lane, objects) ||
          (clause.row != kNoVariable && !IsMember(clause, clause.row, objects))) {
        continue;
      }
      if (!(clause.between == kNoVariable ? RunLanes(clause, objects, slot)
                                          : RunBetween(clause, objects, slot))) {
        return false;
      }
    }
    return true;
  }

 private:
  EXH_ROW_TARGET bool IsMember(const UniformClause& clause, std::uint8_t variable,
                               const std::array<Object, 4>& objects) const {
    const Object object = objects[variable];
    return (network_.uniform.lanes[clause.members[variable] + object / kLanes] >> object % kLanes &
            1) != 0;
  }

  /// The objects of a variable that are present, but for those that other variables have.
  EXH_ROW_TARGET std::uint64_t LanesOf(const UniformClause& clause, std::uint8_t variable,
                                       std::uint32_t word) const {
    return network_.uniform.lanes[clause.members[variable] + word] &
           state_.presence(layout_, clause.presence == 0 ? 0 : clause.presence + word);
  }

  EXH_ROW_TARGET bool RunBetween(const UniformClause& clause, std::array<Object, 4>& objects,
                                 Slot slot) {
    const Object own = objects[clause.lane];
    for (std::uint32_t word = 0; word < clause.num_words; ++word) {
      std::uint64_t lanes = LanesOf(clause, clause.between, word) & ~BitOf(own, word);
      objects[clause.between] = 0;
      std::uint64_t one_open = 0;
      for (int i = 0; lanes != 0 && i < clause.num_filters; ++i) {
        const UniformLiteral& literal = clause.filters[i];
        const std::uint8_t* const row =
            domains_ + network_.uniform.CellOf(literal, objects) + word * kLanes;
        const std::uint64_t excluded = Rows::Excluded(row, literal.values);
        lanes &= excluded | ~(one_open | Rows::Certain(row, literal.values));
        one_open |= ~excluded;
      }
      for (; lanes != 0; lanes &= lanes - 1) {
        objects[clause.between] = static_cast<Object>(
            word * kLanes + static_cast<std::uint32_t>(std::countr_zero(lanes)));
        if (!RunLanes(clause, objects, slot)) return false;
      }
    }
    return true;
  }

  EXH_ROW_TARGET bool RunLanes(const UniformClause& clause, std::array<Object, 4>& objects,
                               Slot slot) {
    const Uniform& uniform = network_.uniform;
    ClauseRun run;
    run.slot = slot;
    run.blame = kBlamesOrigin | clause.origin;
    for (int i = 0; i < clause.num_scalars; ++i) {
      const UniformLiteral& literal = clause.scalars[i];
      const std::uint32_t cell = uniform.CellOf(literal, objects);
      const std::uint8_t domain = domains_[cell];
      if ((domain & literal.values) == 0) continue;
      if ((domain & ~literal.values) == 0 || run.num_scalars != 0) return true;
      run.scalars[run.num_scalars++] = PackLiteral(cell, literal.values);
    }
    run.num_rows = clause.num_rows;
    objects[clause.inner] = 0;
    std::array<std::uint32_t, UniformClause::kMaxRows> first{};
    for (int i = 0; i < clause.num_rows; ++i) first[i] = uniform.CellOf(clause.rows[i], objects);
    for (std::uint32_t word = 0; word < clause.num_words; ++word) {
      std::uint64_t lanes = LanesOf(clause, clause.inner, word);
      for (std::uint8_t other = 0; other < kUniformVariables; ++other) {
        if (other != clause.inner) lanes &= ~BitOf(objects[other], word);
      }
      if (lanes == 0) continue;
      for (int i = 0; i < clause.num_rows; ++i) {
        run.rows[i] = PackLiteral(first[i] + word * kLanes, clause.rows[i].values);
      }
      if (!this->RunClauseRun(run, lanes)) return false;
    }
    return true;
  }

 protected:
  using RowRuns<Rows>::network_;
  using RowRuns<Rows>::layout_;
  using RowRuns<Rows>::state_;
  using RowRuns<Rows>::domains_;
};

}  // namespace exh::runtime::internal
