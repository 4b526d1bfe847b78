// SPDX-License-Identifier: MIT
#include "poly/isl/farkas.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "poly/isl/convert.h"
#include "poly/isl/owners.h"

namespace exh::poly {
namespace {

// A parameter >= kLeastParameter, and nothing else?
bool IsParameterBound(const Polyhedron& polyhedron, const IntRow& row) {
  int num_parameters = 0;
  for (int i = 0; i < polyhedron.num_variables; ++i) {
    if (row[i] != 0) return false;
  }
  for (int j = 0; j < polyhedron.num_parameters; ++j) {
    const std::int64_t number = row[polyhedron.num_variables + j];
    if (number != 0 && number != 1) return false;
    num_parameters += number == 1;
  }
  return num_parameters == 1 && row.back() == -kLeastParameter;
}

// The parameters that bounds name, other than their own bound, in order of their first use.
std::vector<int> UsedParameters(const Polyhedron& polyhedron) {
  std::vector<int> used;
  for (const IntMatrix* matrix : {&polyhedron.equalities, &polyhedron.inequalities}) {
    for (const IntRow& row : *matrix) {
      if (matrix == &polyhedron.inequalities && IsParameterBound(polyhedron, row)) continue;
      for (int j = 0; j < polyhedron.num_parameters; ++j) {
        if (row[polyhedron.num_variables + j] == 0) continue;
        if (std::find(used.begin(), used.end(), j) == used.end()) used.push_back(j);
      }
    }
  }
  return used;
}

// The polyhedron over the used parameters alone, each with its bound.
Polyhedron ShapeOf(const Polyhedron& polyhedron, const std::vector<int>& used) {
  const int num_variables = polyhedron.num_variables;
  Polyhedron shape{.num_variables = num_variables, .num_parameters = static_cast<int>(used.size())};
  const auto reduced = [&](const IntRow& row) {
    IntRow result(row.begin(), row.begin() + num_variables);
    for (int parameter : used) result.push_back(row[num_variables + parameter]);
    result.push_back(row.back());
    return result;
  };
  for (const IntRow& row : polyhedron.equalities) shape.equalities.push_back(reduced(row));
  for (const IntRow& row : polyhedron.inequalities) {
    if (!IsParameterBound(polyhedron, row)) shape.inequalities.push_back(reduced(row));
  }
  for (std::size_t j = 0; j < used.size(); ++j) {
    IntRow bound(num_variables + used.size() + 1, 0);
    bound[num_variables + j] = 1;
    bound.back() = -kLeastParameter;
    shape.inequalities.push_back(std::move(bound));
  }
  std::sort(shape.equalities.begin(), shape.equalities.end());
  std::sort(shape.inequalities.begin(), shape.inequalities.end());
  return shape;
}

Dual Calculated(const Polyhedron& shape) {
  const int num_columns = shape.num_variables + shape.num_parameters + 1;
  isl_space* space = isl_space_set_alloc(ThreadContext(), shape.num_parameters,
                                         static_cast<unsigned>(shape.num_variables));
  for (int j = 0; j < shape.num_parameters; ++j) {
    space = isl_space_set_dim_name(space, isl_dim_param, j, fmt::format("n{}", j).c_str());
  }
  auto points = Take(
      isl_basic_set_from_constraint_matrices(space, MatrixOf(shape.equalities, num_columns).Give(),
                                             MatrixOf(shape.inequalities, num_columns).Give(),
                                             isl_dim_set, isl_dim_div, isl_dim_param, isl_dim_cst));
  // Its variables are the constant, the parameters, the variables of a form.
  auto forms = Take(isl_basic_set_coefficients(points.Give()));
  forms = Take(isl_basic_set_remove_redundancies(forms.Give()));
  Dual dual{.equalities = RowsOf(Take(isl_basic_set_equalities_matrix(
                forms.get(), isl_dim_set, isl_dim_div, isl_dim_param, isl_dim_cst))),
            .inequalities = RowsOf(Take(isl_basic_set_inequalities_matrix(
                forms.get(), isl_dim_set, isl_dim_div, isl_dim_param, isl_dim_cst)))};
  for (IntMatrix* matrix : {&dual.equalities, &dual.inequalities}) {
    for (IntRow& row : *matrix) {
      row.pop_back();  // The constant of the cone's own bounds: 0.
      std::rotate(row.begin(), row.begin() + 1 + shape.num_parameters, row.end());
      std::rotate(row.begin() + shape.num_variables, row.begin() + shape.num_variables + 1,
                  row.end());
    }
    std::sort(matrix->begin(), matrix->end());
  }
  return dual;
}

// Rows over all parameters. Where bounds do not name a parameter n, the form is least at n =
// kLeastParameter, and its coefficient must not be negative.
Dual Widened(const Dual& dual, const Polyhedron& polyhedron, const std::vector<int>& used) {
  const int num_variables = polyhedron.num_variables;
  const auto widened = [&](const IntRow& row) {
    IntRow result(num_variables + polyhedron.num_parameters + 1, kLeastParameter * row.back());
    std::copy(row.begin(), row.begin() + num_variables, result.begin());
    for (std::size_t j = 0; j < used.size(); ++j)
      result[num_variables + used[j]] = row[num_variables + j];
    result.back() = row.back();
    return result;
  };
  Dual result;
  for (const IntRow& row : dual.equalities) result.equalities.push_back(widened(row));
  for (const IntRow& row : dual.inequalities) result.inequalities.push_back(widened(row));
  for (int j = 0; j < polyhedron.num_parameters; ++j) {
    if (std::find(used.begin(), used.end(), j) != used.end()) continue;
    IntRow row(num_variables + polyhedron.num_parameters + 1, 0);
    row[num_variables + j] = 1;
    result.inequalities.push_back(std::move(row));
  }
  return result;
}

}  // namespace

bool Contains(const Dual& dual, const IntRow& form) {
  const auto product = [&](const IntRow& row) {
    return std::inner_product(row.begin(), row.end(), form.begin(), std::int64_t{0});
  };
  return std::all_of(dual.equalities.begin(), dual.equalities.end(),
                     [&](const IntRow& row) { return product(row) == 0; }) &&
         std::all_of(dual.inequalities.begin(), dual.inequalities.end(),
                     [&](const IntRow& row) { return product(row) >= 0; });
}

Dual DualCache::Of(const Polyhedron& polyhedron) {
  const std::vector<int> used = UsedParameters(polyhedron);
  Polyhedron shape = ShapeOf(polyhedron, used);
  std::shared_ptr<const Dual>& dual = duals_[shape];
  if (dual == nullptr) {
    dual = std::make_shared<const Dual>(Calculated(shape));
    ++num_calculated_;
  }
  return Widened(*dual, polyhedron, used);
}

}  // namespace exh::poly
