// SPDX-License-Identifier: MIT
#include "tests/poly/scops.h"

#include <fmt/core.h>

#include <utility>

namespace exh::poly {

Scop Figure2(std::int64_t size) {
  const ScopIterator i{"i", size}, j{"j", size}, k{"k", size};
  Scop scop;
  scop.arrays = {
      {"A", {size, size}}, {"B", {size, size}}, {"C", {size, size}}, {"D", {size, size, size}}};
  scop.statements.push_back(
      {.name = "X",
       .iterators = {i, k},
       .accesses = {{0, false, {{1, 0, 0}, {0, 1, 0}}}, {1, true, {{1, 0, 0}, {0, 1, 0}}}}});
  scop.statements.push_back({.name = "Y",
                             .iterators = {i, j, k},
                             .accesses = {{2, false, {{1, 0, 0, 0}, {0, 1, 0, 0}}},
                                          {1, false, {{1, 0, 0, 0}, {0, 0, 1, 0}}},
                                          {3, false, {{0, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}}},
                                          {2, true, {{1, 0, 0, 0}, {0, 1, 0, 0}}}}});
  return scop;
}

InfluenceTree Figure3() {
  constexpr int kX = 0, kY = 1;
  std::vector<InfluenceNode> alike, vector_only;
  for (int depth = 0; depth < 2; ++depth) {
    const InfluenceRow no_j = Fixed(kY, depth, 1, 0);
    alike.push_back(
        {.rows = {Same(depth, kX, 0, kY, 0), no_j, Same(depth, kX, 1, kY, 2)}, .label = "alike"});
    vector_only.push_back({.rows = {no_j}, .label = "vector only"});
  }
  const InfluenceRow is_j = Fixed(kY, 2, 1, 1);
  alike.push_back({.rows = {is_j}, .label = "alike"});
  vector_only.push_back({.rows = {is_j}, .label = "vector only"});
  InfluenceTree tree;
  AddPath(tree, alike);
  AddPath(tree, vector_only);
  return tree;
}

Scop FusedOperator(int num_statements, std::uint64_t seed) {
  Random random(seed);
  constexpr int kRank = 5;
  const std::int64_t extents[kRank] = {8, 16, 32, 64, 128};
  Scop scop;
  const auto identity = [&] {
    IntMatrix map(kRank, IntRow(kRank + 1, 0));
    for (int i = 0; i < kRank; ++i) map[i][i] = 1;
    return map;
  };
  scop.arrays.push_back({"input", {extents, extents + kRank}});
  for (int s = 0; s < num_statements; ++s) {
    ScopStatement statement{.name = fmt::format("S{}", s)};
    for (int i = 0; i < kRank; ++i)
      statement.iterators.push_back({fmt::format("i{}", i), extents[i]});
    const auto read = [&](int array) {
      // Arrays have the axes of the operator in an order of their own.
      ScopAccess access{.array = array, .map = {}};
      for (const std::int64_t extent : scop.arrays[array].extents) {
        IntRow row(kRank + 1, 0);
        for (int i = 0; i < kRank; ++i) row[i] = extents[i] == extent;
        access.map.push_back(std::move(row));
      }
      statement.accesses.push_back(std::move(access));
    };
    read(s == 0 ? 0 : s - static_cast<int>(random.Below(static_cast<std::size_t>(std::min(s, 3)))));
    if (random.Below(2) == 0) read(static_cast<int>(random.Below(static_cast<std::size_t>(s) + 1)));
    ScopArray result{fmt::format("t{}", s), {extents, extents + kRank}};
    ScopAccess write{.array = s + 1, .is_write = true, .map = identity()};
    if (s % 4 == 3) {  // Two axes are exchanged: the result lies the other way round.
      const std::size_t a = random.Below(kRank), b = random.Below(kRank);
      std::swap(result.extents[a], result.extents[b]);
      std::swap(write.map[a], write.map[b]);
    }
    if (s % 7 == 6) {  // A reduction along one axis.
      const std::size_t axis = random.Below(kRank);
      result.extents.erase(result.extents.begin() + static_cast<std::ptrdiff_t>(axis));
      write.map.erase(write.map.begin() + static_cast<std::ptrdiff_t>(axis));
      statement.accesses.push_back({.array = s + 1, .map = write.map});
    }
    statement.accesses.push_back(std::move(write));
    scop.arrays.push_back(std::move(result));
    scop.statements.push_back(std::move(statement));
  }
  return scop;
}

Scop RandomScop(Random& random) {
  Scop scop;
  const std::size_t num_arrays = 1 + random.Below(3);
  for (std::size_t a = 0; a < num_arrays; ++a) {
    scop.arrays.push_back({fmt::format("a{}", a), std::vector<std::int64_t>(random.Below(3), 16)});
  }
  const std::size_t num_statements = 1 + random.Below(4);
  const bool share_nest = random.Below(3) == 0;
  std::size_t shared_rank = 1 + random.Below(2);
  const std::int64_t shared_extents[] = {static_cast<std::int64_t>(1 + random.Below(5)),
                                         static_cast<std::int64_t>(1 + random.Below(5))};
  for (std::size_t s = 0; s < num_statements; ++s) {
    ScopStatement statement{.name = fmt::format("S{}", s)};
    const std::size_t rank = share_nest ? shared_rank + random.Below(2) : random.Below(4);
    for (std::size_t i = 0; i < rank; ++i) {
      const std::int64_t extent = share_nest && i < shared_rank
                                      ? shared_extents[i]
                                      : static_cast<std::int64_t>(1 + random.Below(5));
      statement.iterators.push_back({fmt::format("i{}", i), extent});
    }
    if (share_nest) {
      statement.order.assign(rank + 1, 0);
      statement.order[shared_rank] = static_cast<int>(s);
    }
    const std::size_t num_accesses = 1 + random.Below(3);
    for (std::size_t a = 0; a < num_accesses; ++a) {
      ScopAccess access{.array = static_cast<int>(random.Below(num_arrays)),
                        .is_write = a == 0 || random.Below(4) == 0};
      for (std::size_t dim = 0; dim < scop.arrays[access.array].extents.size(); ++dim) {
        IntRow row(rank + 1, 0);
        if (rank > 0 && random.Below(5) != 0) row[random.Below(rank)] = 1;
        if (rank > 0 && random.Below(6) == 0)
          row[random.Below(rank)] = static_cast<std::int64_t>(random.Below(3)) - 1;
        row.back() = static_cast<std::int64_t>(random.Below(3));
        access.map.push_back(std::move(row));
      }
      statement.accesses.push_back(std::move(access));
    }
    if (rank > 0 && random.Below(6) == 0) {  // Every point but the first along an iterator.
      IntRow guard(rank + 1, 0);
      guard[random.Below(rank)] = 1;
      guard.back() = -1;
      statement.guards.push_back(std::move(guard));
    }
    scop.statements.push_back(std::move(statement));
  }
  return scop;
}

}  // namespace exh::poly
