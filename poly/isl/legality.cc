// SPDX-License-Identifier: MIT
//
// A pair of a dependence has a difference of dates, which must be lexicographically positive: the
// first row that is not 0 is above 0. So the pairs with zeros so far are kept, row by row; none of
// them may be negative in the next row, and none may be left at the end.
#include "poly/isl/legality.h"

#include <algorithm>

#include "poly/isl/convert.h"
#include "poly/isl/owners.h"

namespace exh::poly {
namespace {

// The row of the target minus that of the source, as a constraint on pairs: columns of Polyhedron.
IntRow DifferenceOf(const Dependence& dependence, const IntRow& source, const IntRow& target) {
  const std::size_t num_rest = dependence.pairs.num_parameters + 1;
  const std::size_t source_rank = source.size() - num_rest, target_rank = target.size() - num_rest;
  IntRow difference;
  for (std::size_t i = 0; i < source_rank; ++i) difference.push_back(-source[i]);
  difference.insert(difference.end(), target.begin(),
                    target.begin() + static_cast<std::ptrdiff_t>(target_rank));
  for (std::size_t i = 0; i < num_rest; ++i) {
    difference.push_back(target[target_rank + i] - source[source_rank + i]);
  }
  return difference;
}

bool IsEmpty(const Scop& scop, const Dependence& dependence) {
  const auto map = MapOf(scop, dependence);
  return IsTrue(isl_basic_map_is_empty(map.get()));
}

}  // namespace

std::string WhyIllegal(const Scop& scop, const std::vector<Dependence>& dependences,
                       const Schedule& schedule) {
  for (const Dependence& dependence : dependences) {
    const std::string names = scop.statements[dependence.source].name + " before " +
                              scop.statements[dependence.target].name;
    Dependence at_once = dependence;
    bool is_ordered = false;
    for (std::size_t row = 0; row < schedule.rows.size() && !is_ordered; ++row) {
      const IntRow difference =
          DifferenceOf(dependence, schedule.statements[dependence.source][row],
                       schedule.statements[dependence.target][row]);
      if (std::all_of(difference.begin(), difference.end(),
                      [](auto number) { return number == 0; }))
        continue;
      IntRow negative;
      for (std::int64_t number : difference) negative.push_back(-number);
      --negative.back();
      Dependence reversed = at_once;
      reversed.pairs.inequalities.push_back(std::move(negative));
      if (!IsEmpty(scop, reversed)) return names + ": row " + std::to_string(row) + " reverses it";
      at_once.pairs.equalities.push_back(difference);
      is_ordered = IsEmpty(scop, at_once);
    }
    if (!is_ordered) return names + ": no row orders it";
  }
  return "";
}

std::vector<std::vector<bool>> CarriedBy(const Scop& scop,
                                         const std::vector<Dependence>& dependences,
                                         const Schedule& schedule) {
  std::vector<std::vector<bool>> carried(schedule.rows.size(),
                                         std::vector<bool>(dependences.size(), false));
  for (std::size_t i = 0; i < dependences.size(); ++i) {
    const Dependence& dependence = dependences[i];
    Dependence at_once = dependence;
    for (std::size_t row = 0; row < schedule.rows.size(); ++row) {
      const IntRow difference =
          DifferenceOf(dependence, schedule.statements[dependence.source][row],
                       schedule.statements[dependence.target][row]);
      if (std::all_of(difference.begin(), difference.end(),
                      [](auto number) { return number == 0; }))
        continue;
      Dependence later = at_once;
      later.pairs.inequalities.push_back(difference);
      --later.pairs.inequalities.back().back();
      carried[row][i] = !IsEmpty(scop, later);
      at_once.pairs.equalities.push_back(difference);
      if (carried[row][i] && IsEmpty(scop, at_once)) break;
    }
  }
  return carried;
}

std::vector<std::vector<bool>> SeparatedBy(const Scop& scop,
                                           const std::vector<Dependence>& dependences,
                                           const Schedule& schedule) {
  std::vector<std::vector<bool>> separated(schedule.rows.size(),
                                           std::vector<bool>(dependences.size(), false));
  for (std::size_t i = 0; i < dependences.size(); ++i) {
    for (std::size_t row = 0; row < schedule.rows.size(); ++row) {
      IntRow difference =
          DifferenceOf(dependences[i], schedule.statements[dependences[i].source][row],
                       schedule.statements[dependences[i].target][row]);
      for (int sign = 0; sign < 2 && !separated[row][i]; ++sign) {
        Dependence apart = dependences[i];
        apart.pairs.inequalities.push_back(difference);
        --apart.pairs.inequalities.back().back();
        separated[row][i] = !IsEmpty(scop, apart);
        for (auto& number : difference) number = -number;
      }
    }
  }
  return separated;
}

bool IsOrdered(const Scop& scop, const Dependence& dependence, const IntMatrix& source_rows,
               const IntMatrix& target_rows) {
  Dependence at_once = dependence;
  for (std::size_t row = 0; row < source_rows.size(); ++row) {
    at_once.pairs.equalities.push_back(
        DifferenceOf(dependence, source_rows[row], target_rows[row]));
  }
  return IsEmpty(scop, at_once);
}

}  // namespace exh::poly
