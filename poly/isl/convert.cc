// SPDX-License-Identifier: MIT
#include "poly/isl/convert.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/check.h"

namespace exh::poly {
namespace {

// ---- texts that isl reads
// ------------------------------------------------------------------------

std::string ParametersText(const Scop& scop) {
  std::string text = "[";
  for (std::size_t i = 0; i < ParametersOf(scop).size(); ++i)
    text += fmt::format("{}n{}", i > 0 ? ", " : "", i);
  return text + "] -> ";
}

std::string TupleText(const ScopStatement& statement) {
  std::string text = statement.name + "[";
  for (std::size_t i = 0; i < statement.iterators.size(); ++i)
    text += fmt::format("{}i{}", i > 0 ? ", " : "", i);
  return text + "]";
}

// A form over iterators, parameters (if the row has them), constant.
std::string FormText(const IntRow& row, std::size_t num_iterators) {
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : " + ", row[i]);
    if (i + 1 == row.size()) break;
    text += i < num_iterators ? fmt::format("*i{}", i) : fmt::format("*n{}", i - num_iterators);
  }
  return text.empty() ? "0" : text;
}

std::string DomainText(const Scop& scop, const ScopStatement& statement) {
  const std::vector<std::int64_t> parameters = ParametersOf(scop);
  std::string text = TupleText(statement) + " : true";
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    text += fmt::format(" and n{} >= {}", j, kLeastParameter);
  }
  for (std::size_t i = 0; i < statement.iterators.size(); ++i) {
    const std::int64_t extent = statement.iterators[i].extent;
    const auto parameter = std::find(parameters.begin(), parameters.end(), extent);
    text += parameter == parameters.end()
                ? fmt::format(" and 0 <= i{} < {}", i, extent)
                : fmt::format(" and 0 <= i{} < n{}", i, parameter - parameters.begin());
  }
  for (const IntRow& guard : statement.guards) {
    text += fmt::format(" and {} >= 0", FormText(guard, statement.iterators.size()));
  }
  return text;
}

isl_space* WithTuple(isl_space* space, isl_dim_type type, const ScopStatement& statement) {
  return isl_space_set_tuple_name(space, type, statement.name.c_str());
}

}  // namespace

Owner<isl_union_set> DomainOf(const Scop& scop) {
  std::string text = ParametersText(scop) + "{ ";
  for (std::size_t i = 0; i < scop.statements.size(); ++i) {
    text += (i > 0 ? "; " : "") + DomainText(scop, scop.statements[i]);
  }
  return Take(isl_union_set_read_from_str(ThreadContext(), (text + " }").c_str()));
}

Owner<isl_union_map> AccessesOf(const Scop& scop, const std::vector<bool>& arrays, bool writes) {
  std::string text = ParametersText(scop) + "{ ";
  bool is_first = true;
  for (const ScopStatement& statement : scop.statements) {
    for (const ScopAccess& access : statement.accesses) {
      if (access.is_write != writes || !arrays[access.array]) continue;
      text += fmt::format("{}{} -> a{}[", is_first ? "" : "; ", TupleText(statement), access.array);
      is_first = false;
      for (std::size_t dim = 0; dim < access.map.size(); ++dim) {
        text += (dim > 0 ? ", " : "") + FormText(access.map[dim], statement.iterators.size());
      }
      text += "]";
    }
  }
  auto map = Take(isl_union_map_read_from_str(ThreadContext(), (text + " }").c_str()));
  return Take(isl_union_map_intersect_domain(map.Give(), DomainOf(scop).Give()));
}

Owner<isl_union_map> MapOf(const Scop& scop, const Schedule& schedule) {
  std::string text = ParametersText(scop) + "{ ";
  for (std::size_t i = 0; i < scop.statements.size(); ++i) {
    const ScopStatement& statement = scop.statements[i];
    text += (i > 0 ? "; " : "") + TupleText(statement) + " -> [";
    for (std::size_t row = 0; row < schedule.rows.size(); ++row) {
      text +=
          (row > 0 ? ", " : "") + FormText(schedule.statements[i][row], statement.iterators.size());
    }
    text += "]";
  }
  return Take(isl_union_map_read_from_str(ThreadContext(), (text + " }").c_str()));
}

Owner<isl_basic_map> MapOf(const Scop& scop, const Dependence& dependence) {
  const ScopStatement& source = scop.statements[dependence.source];
  const ScopStatement& target = scop.statements[dependence.target];
  const Polyhedron& pairs = dependence.pairs;
  isl_space* space = isl_space_alloc(ThreadContext(), pairs.num_parameters,
                                     static_cast<unsigned>(source.iterators.size()),
                                     static_cast<unsigned>(target.iterators.size()));
  for (int j = 0; j < pairs.num_parameters; ++j) {
    space = isl_space_set_dim_name(space, isl_dim_param, j, fmt::format("n{}", j).c_str());
  }
  space = WithTuple(WithTuple(space, isl_dim_in, source), isl_dim_out, target);
  const int num_columns = pairs.num_variables + pairs.num_parameters + 1;
  return Take(isl_basic_map_from_constraint_matrices(
      space, MatrixOf(pairs.equalities, num_columns).Give(),
      MatrixOf(pairs.inequalities, num_columns).Give(), isl_dim_in, isl_dim_out, isl_dim_div,
      isl_dim_param, isl_dim_cst));
}

Owner<isl_union_map> MapOf(const Scop& scop, const std::vector<Dependence>& dependences) {
  auto all =
      Take(isl_union_map_read_from_str(ThreadContext(), (ParametersText(scop) + "{ }").c_str()));
  for (const Dependence& dependence : dependences) {
    auto one = Take(isl_union_map_from_basic_map(MapOf(scop, dependence).Give()));
    all = Take(isl_union_map_union(all.Give(), one.Give()));
  }
  return all;
}

Owner<isl_mat> MatrixOf(const IntMatrix& rows, int num_columns) {
  isl_mat* matrix = isl_mat_alloc(ThreadContext(), static_cast<unsigned>(rows.size()), num_columns);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EXH_CHECK(static_cast<int>(rows[row].size()) == num_columns);
    for (int column = 0; column < num_columns; ++column) {
      const std::int64_t number = rows[row][column];
      EXH_CHECK(number == static_cast<int>(number));
      matrix =
          isl_mat_set_element_si(matrix, static_cast<int>(row), column, static_cast<int>(number));
    }
  }
  return Take(matrix);
}

IntMatrix RowsOf(const Owner<isl_mat>& matrix) {
  IntMatrix rows(isl_mat_rows(matrix.get()), IntRow(isl_mat_cols(matrix.get())));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      const auto value = Take(
          isl_mat_get_element_val(matrix.get(), static_cast<int>(row), static_cast<int>(column)));
      if (isl_val_cmp_si(value.get(), INT32_MAX) > 0 ||
          isl_val_cmp_si(value.get(), INT32_MIN) < 0) {
        throw TooLarge("a bound of a dependence does not fit 32 bits");
      }
      rows[row][column] = isl_val_get_num_si(value.get());
    }
  }
  return rows;
}

}  // namespace exh::poly
