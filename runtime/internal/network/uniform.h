// SPDX-License-Identifier: MIT
//
// What holds of all objects of a set alike. Nearly all that a space says of three objects, it says
// of any three: "order(x,y) is BEFORE && order(y,z) is BEFORE => order(x,z) is BEFORE". Written
// down for each pair of objects, that is one run for each slot and 64 lanes, millions of them.
// Here it is written down once, and what a slot has to do follows from where its cell lies.
//
//   block of cells    row object, object of its lane 0, what is uniform of its choice
//        |
//   slot e(a,b)       a is the object of the row, b the one of the lane: 5 + 12 = object 17
//        |
//        +- UniformTables    e(a,b), e(a,z), e(b,z) fit each other, for every z. The table depends
//        |                   on which of the sets each of the three belongs to, its *type*
//        |    types          by object
//        |    parts          by the types of a and b: a table, and the lanes z that it is for
//        |
//        +- UniformClauses   e(x,y) is A || f(y) is B || … for all x, y, z. One entry for each
//             literal that can be the one that has become false, and each way in which the slot
//             can be that literal: a is x and b is y, or a is y and b is x
//
// Invariants. Objects of the variables are of one root set and pairwise distinct, all decisions
// that the literals read exist, and a constraint waits for the presence of its own objects and for
// nothing else. So a lane takes part when its object is a member, is present, and is not one of
// the slot's. What the root says is not looked at: what it satisfies does nothing.
//
// Example. Objects 0 to 99 are statements, those below 60 loops. Of the tables over order(x,y),
// order(x,z), order(y,z) there are eight, by who of the three is a loop. Slot order(3,70) has a row
// object of type loop and a lane object that is none: of its parts one is for lanes 0 to 59, one
// for 60 to 99. It runs each over the rows of 3 and 70, without lanes 3 and 70.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/host.h"
#include "runtime/state.h"

namespace exh::runtime::internal {

/// Variables of a uniform clause are 0, 1 and 2; the fourth is object 0, for rows without one.
inline constexpr int kUniformVariables = 3;
inline constexpr std::uint8_t kNoVariable = 3;

/// A literal on the cell of variable `lane` in the row of variable `row`.
struct UniformLiteral {
  std::uint32_t rows = 0;  ///< In Uniform::rows: first cells of the rows, by object.
  std::uint8_t row = kNoVariable, lane = 0;
  std::uint8_t values = 0;
};

/// A clause as it looks from one of its literals, which hangs on the slot.
struct UniformClause {
  static constexpr std::size_t kMaxScalars = 4, kMaxRows = 3;
  std::uint32_t origin = 0;
  std::uint8_t values = 0;  ///< Of the slot: the literal is false when none of them is left.
  std::uint8_t row = kNoVariable, lane = 0;  ///< Which variables the objects of the slot are.
  /// The variable that is bound next, 64 objects at a time, when the slot binds only one.
  std::uint8_t between = kNoVariable;
  std::uint8_t inner = 0;  ///< The variable of the lanes.
  std::uint8_t num_filters = 0, num_scalars = 0, num_rows = 0;
  std::array<UniformLiteral, kMaxRows> filters{};     ///< They read `between`, and not `inner`.
  std::array<UniformLiteral, kMaxScalars> scalars{};  ///< All that do not read `inner`.
  std::array<UniformLiteral, kMaxRows> rows{};        ///< Those that do: it is their lane.
  /// By variable: in Uniform::lanes, its objects.
  std::array<std::uint32_t, kUniformVariables> members{};
  std::uint32_t presence = 0;  ///< First word of their presence bits; 0: all are present.
  std::uint32_t num_words = 0;
  std::uint32_t memberships = 0;  ///< In Uniform::memberships: by object.
  /// Of all entries of a clause those of its first pair: with them each ground clause is met once.
  bool is_first = false;
};

/// A table over the slot and its two rows, in these lanes.
struct UniformPart {
  std::uint32_t table = 0;  ///< As TripleRun::table.
  std::uint32_t relation = 0;
  std::uint32_t lanes = 0;  ///< In Uniform::lanes.
  std::uint16_t width_b = 0, width_c = 0;
};

/// Tables over the three pairs of three objects, of one choice.
struct UniformTables {
  std::uint32_t choice = 0;
  std::uint32_t rows = 0;   ///< In Uniform::rows.
  std::uint32_t types = 0;  ///< In Uniform::types: by object.
  std::uint32_t num_types = 0;
  /// In Uniform::part_begin: where the parts of a pair of types begin, `num_types` squared and one.
  std::uint32_t parts = 0;
  std::uint32_t presence = 0, num_words = 0;
  std::uint32_t memberships = 0;  ///< In Uniform::memberships: by object.
};

/// 64 cells of a row.
struct UniformBlock {
  static constexpr std::uint16_t kNone = std::numeric_limits<std::uint16_t>::max();
  Object row = 0, first = 0;  ///< Object of the row, and of the first lane.
  std::uint16_t tables = kNone;
  std::uint16_t clause_begin = 0, clause_end = 0;  ///< In Uniform::clauses.
};

struct Uniform {
  std::vector<UniformBlock> blocks;  ///< By block of cells; empty: nothing is uniform.
  std::vector<UniformTables> tables;
  std::vector<std::uint32_t> part_begin;
  std::vector<UniformPart> parts;
  std::vector<UniformClause> clauses;
  std::vector<Slot> rows;
  std::vector<std::uint8_t> types;
  std::vector<std::uint64_t> lanes;
  /// What an object waits for; kAlwaysThere (row_places.h): nothing. Propagation asks presence
  /// bits.
  std::vector<Slot> memberships;

  bool is_empty() const { return blocks.empty(); }
  std::size_t NumBytes() const {
    return blocks.size() * sizeof(UniformBlock) + parts.size() * sizeof(UniformPart) +
           clauses.size() * sizeof(UniformClause) + rows.size() * sizeof(Slot) + types.size() +
           lanes.size() * sizeof(std::uint64_t);
  }
  Slot CellOf(const UniformLiteral& literal, const std::array<Object, 4>& objects) const {
    return rows[literal.rows + objects[literal.row]] + objects[literal.lane];
  }
};

/// The bit of an object in word number `word` of a mask; 0 when it is in another one.
constexpr std::uint64_t BitOf(Object object, std::uint32_t word) {
  return object / kLanes == word ? std::uint64_t{1} << object % kLanes : 0;
}

}  // namespace exh::runtime::internal
