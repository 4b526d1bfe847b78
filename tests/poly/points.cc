// SPDX-License-Identifier: MIT
#include "tests/poly/points.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace exh::poly {
namespace {

std::int64_t ValueOf(const IntRow& row, const std::vector<std::int64_t>& point) {
  return std::inner_product(point.begin(), point.end(), row.begin(), row.back());
}

using Cell = std::pair<int, std::vector<std::int64_t>>;

std::vector<Cell> CellsOf(const Scop& scop, const Execution& execution, bool writes) {
  std::vector<Cell> cells;
  for (const ScopAccess& access : scop.statements[execution.statement].accesses) {
    if (access.is_write != writes) continue;
    Cell cell{access.array, {}};
    for (const IntRow& row : access.map) cell.second.push_back(ValueOf(row, execution.point));
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace

std::vector<Execution> ExecutionsOf(const Scop& scop) {
  std::vector<std::pair<std::vector<std::int64_t>, Execution>> dated;
  for (int s = 0; s < static_cast<int>(scop.statements.size()); ++s) {
    const ScopStatement& statement = scop.statements[s];
    const std::vector<int> order = OrderOf(scop, s);
    std::vector<std::int64_t> point(statement.iterators.size(), 0);
    while (true) {
      const bool is_executed =
          std::all_of(statement.guards.begin(), statement.guards.end(),
                      [&](const IntRow& guard) { return ValueOf(guard, point) >= 0; });
      if (is_executed) {
        std::vector<std::int64_t> date{order[0]};
        for (std::size_t i = 0; i < point.size(); ++i)
          date.insert(date.end(), {point[i], order[i + 1]});
        dated.push_back({std::move(date), {s, point}});
      }
      std::size_t dim = point.size();
      while (dim > 0 && ++point[dim - 1] == statement.iterators[dim - 1].extent) point[--dim] = 0;
      if (dim == 0) break;
    }
  }
  std::sort(dated.begin(), dated.end());
  std::vector<Execution> executions;
  for (auto& [date, execution] : dated) executions.push_back(std::move(execution));
  return executions;
}

Pairs PairsOf(const Scop& scop) {
  Pairs pairs;
  std::map<Cell, std::vector<Execution>> reads, writes;
  for (const Execution& execution : ExecutionsOf(scop)) {
    const auto pair_with = [&](const std::vector<Execution>& earlier) {
      for (const Execution& one : earlier) pairs.insert({one, execution});
    };
    for (const Cell& cell : CellsOf(scop, execution, false)) pair_with(writes[cell]);
    for (const Cell& cell : CellsOf(scop, execution, true)) {
      pair_with(writes[cell]);
      pair_with(reads[cell]);
    }
    for (const Cell& cell : CellsOf(scop, execution, false)) reads[cell].push_back(execution);
    for (const Cell& cell : CellsOf(scop, execution, true)) writes[cell].push_back(execution);
  }
  return pairs;
}

Pairs LastPairsOf(const Scop& scop) {
  Pairs pairs;
  std::map<Cell, std::vector<Execution>> reads, last_write;
  for (const Execution& execution : ExecutionsOf(scop)) {
    const auto pair_with = [&](const std::vector<Execution>& earlier) {
      for (const Execution& one : earlier) pairs.insert({one, execution});
    };
    for (const Cell& cell : CellsOf(scop, execution, false)) pair_with(last_write[cell]);
    for (const Cell& cell : CellsOf(scop, execution, true)) {
      pair_with(last_write[cell]);
      pair_with(reads[cell]);
    }
    for (const Cell& cell : CellsOf(scop, execution, true)) {
      last_write[cell] = {execution};
      reads[cell].clear();
    }
    // Reads of an execution that also writes the cell come before its write.
    for (const Cell& cell : CellsOf(scop, execution, false)) {
      if (last_write[cell] != std::vector<Execution>{execution}) reads[cell].push_back(execution);
    }
  }
  return pairs;
}

std::vector<std::int64_t> DateOf(const Scop& scop, const Schedule& schedule,
                                 const Execution& execution) {
  std::vector<std::int64_t> values = execution.point;
  for (const std::int64_t parameter : ParametersOf(scop)) values.push_back(parameter);
  std::vector<std::int64_t> date;
  for (const IntRow& row : schedule.statements[execution.statement])
    date.push_back(ValueOf(row, values));
  return date;
}

}  // namespace exh::poly
