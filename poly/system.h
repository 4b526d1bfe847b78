// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "poly/influence.h"
#include "poly/isl/dependences.h"
#include "poly/isl/farkas.h"
#include "poly/lexmin.h"
#include "poly/schedule.h"
#include "poly/scop.h"

namespace exh::poly {

/// The largest coefficients that a row of a schedule may have; the smallest is 0.
struct CoefficientBounds {
  std::int64_t iterators = 1;
  std::int64_t parameters = 0;
  std::int64_t constants = 1;
};

/// What a system is about.
struct SystemRequest {
  std::vector<int> dependences;  // Positions of those that the row must not reverse.
  std::vector<int> progressing;  // Statements whose row must be independent of those before.
  const InfluenceNode* influence = nullptr;  // Or none.
};

/// Builds, for the next row of a schedule, the system whose lexicographic minimum is that row. Its
/// variables are, in this order: the sum of u and w, where u * parameters + w bounds the distance
/// of dates of every dependence; the sum of the coefficients of iterators and parameters; u; for
/// each statement the coefficients of its iterators from the last to the first, of the parameters,
/// the constant. So the minimum takes the outermost iterator first. After them stand sums, one for
/// each statement, that only help to propagate.
class SystemBuilder {
 public:
  /// Calculates what the rows of each dependence are. Keeps references. Throws IslError.
  SystemBuilder(const Scop& scop, const std::vector<Dependence>& dependences,
                const CoefficientBounds& bounds);

  /// The system for what comes after `schedule`. Depths count its rows that are not scalar.
  LexProblem Build(const SystemRequest& request, const Schedule& schedule) const;

  /// The row of each statement in a solution, with all columns of a schedule.
  std::vector<IntRow> RowsOf(const std::vector<std::int64_t>& solution) const;

  /// The statement has as many independent rows as iterators.
  bool IsComplete(const Schedule& schedule, int statement) const {
    return NumMissing(schedule, statement) == 0;
  }
  /// Linearly independent rows that the statement still needs.
  int NumMissing(const Schedule& schedule, int statement) const;

  /// Every pair of the dependence has a difference above 0 in this row of the two statements.
  bool IsStrong(int dependence, const IntRow& source, const IntRow& target) const;

  /// Every pair of the dependence has the difference 0 in this row.
  bool IsCoincident(int dependence, const IntRow& source, const IntRow& target) const;

  int num_duals() const { return duals_.num_calculated(); }

 private:
  struct Rows {
    std::vector<LinearRow> validity, proximity, coincidence;
  };
  // Columns of a statement's row: iterators, parameters, constant.
  int NumColumns(int statement) const;
  void AddVariables(const CoefficientBounds& bounds);
  void AddRows(const Dependence& dependence);
  // Forms of a dual with coefficients of both statements put in for theirs: target minus source for
  // sign 1.
  LinearRow Substituted(const IntRow& row, const Dependence& dependence, int sign) const;
  void AddProgression(const Schedule& schedule, int statement, LexProblem& problem) const;
  LinearRow InfluenceRowOf(const InfluenceRow& row, const Schedule& schedule) const;
  IntRow Difference(int dependence, const IntRow& source, const IntRow& target) const;

  const Scop& scop_;
  const std::vector<Dependence>& dependences_;
  const int num_parameters_;
  LexProblem empty_;    // The variables, and what sums are.
  std::vector<int> u_;  // By parameter.
  std::vector<std::vector<int>>
      columns_;  // By statement and column: the variable, or -1 for what is 0.
  DualCache duals_;
  std::vector<Dual> dual_of_;  // By dependence.
  std::vector<Rows> rows_;     // By dependence.
};

}  // namespace exh::poly
