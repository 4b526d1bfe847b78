// SPDX-License-Identifier: MIT
#include "poly/schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

namespace exh::poly {
namespace {

std::string FormText(const Scop& scop, int statement, const IntRow& row) {
  const std::vector<ScopIterator>& iterators = scop.statements[statement].iterators;
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == 0) continue;
    const bool is_constant = i + 1 == row.size();
    const std::string name = is_constant            ? ""
                             : i < iterators.size() ? iterators[i].name
                                                    : fmt::format("n{}", i - iterators.size());
    const std::int64_t size = std::abs(row[i]);
    if (!text.empty()) {
      text += row[i] < 0 ? " - " : " + ";
    } else if (row[i] < 0) {
      text += "-";
    }
    if (is_constant || size != 1) text += std::to_string(size);
    if (!is_constant && size != 1) text += "*";
    text += name;
  }
  return text.empty() ? "0" : text;
}

std::string Padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

}  // namespace

Schedule OriginalSchedule(const Scop& scop) {
  Schedule schedule;
  schedule.num_parameters = static_cast<int>(ParametersOf(scop).size());
  std::size_t most = 0;
  for (const ScopStatement& statement : scop.statements)
    most = std::max(most, statement.iterators.size());
  for (std::size_t row = 0; row < 2 * most + 1; ++row) {
    schedule.rows.push_back({.is_scalar = row % 2 == 0, .band = static_cast<int>(row)});
  }
  for (std::size_t i = 0; i < scop.statements.size(); ++i) {
    const std::size_t rank = scop.statements[i].iterators.size();
    const std::vector<int> order = OrderOf(scop, static_cast<int>(i));
    IntMatrix rows(schedule.rows.size(), IntRow(rank + schedule.num_parameters + 1, 0));
    for (std::size_t d = 0; d <= rank; ++d) {
      rows[2 * d].back() = order[d];
      if (d < rank) rows[2 * d + 1][d] = 1;
    }
    schedule.statements.push_back(std::move(rows));
  }
  return schedule;
}

std::string TableText(const Scop& scop, const Schedule& schedule) {
  const std::size_t num_statements = scop.statements.size();
  std::vector<std::vector<std::string>> columns(num_statements);
  std::vector<std::size_t> widths(num_statements);
  for (std::size_t i = 0; i < num_statements; ++i) {
    columns[i].push_back(scop.statements[i].name);
    for (const IntRow& row : schedule.statements[i]) {
      columns[i].push_back(FormText(scop, static_cast<int>(i), row));
    }
    for (const std::string& cell : columns[i]) widths[i] = std::max(widths[i], cell.size());
  }
  std::string text;
  for (std::size_t line = 0; line <= schedule.rows.size(); ++line) {
    std::string cells = Padded(line == 0 ? "row" : std::to_string(line - 1), 3);
    for (std::size_t i = 0; i < num_statements; ++i)
      cells += fmt::format("  {}", Padded(columns[i][line], widths[i]));
    if (line > 0) {
      const RowTraits& traits = schedule.rows[line - 1];
      cells += traits.is_scalar ? "  scalar" : fmt::format("  band {}", traits.band);
      if (!traits.is_scalar && traits.is_parallel) cells += ", parallel";
    }
    while (cells.back() == ' ') cells.pop_back();
    text += cells + "\n";
  }
  return text;
}

}  // namespace exh::poly
