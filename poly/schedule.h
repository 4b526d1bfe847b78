// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "poly/matrix.h"
#include "poly/scop.h"

namespace exh::poly {

/// What holds for one row of a schedule, for all statements.
struct RowTraits {
  bool is_scalar = false;    // It orders statements by constants and has no iterator.
  bool is_parallel = false;  // No dependence is carried by it: its iterations may run at once.
  int band = 0;              // Neighbouring rows of one band may be interchanged and tiled.
};

/// A date for each execution of a statement: executions are ordered as their dates are,
/// lexicographically. statements[s][r] is row r of statement s; its columns are the iterators of
/// the statement, the parameters, the constant.
struct Schedule {
  int num_parameters = 0;
  std::vector<RowTraits> rows;
  std::vector<IntMatrix> statements;
};

/// The order of the program itself, as a schedule: textual positions and iterators in turn. It is
/// legal for every kind of dependence. Nothing is known of its rows, so none is parallel and each
/// is a band.
Schedule OriginalSchedule(const Scop& scop);

/// A schedule for people: a line for each row, a column for each statement, and at the end of a
/// line "scalar", "parallel" and the number of the band. Parameters are written as n0, n1, ...
std::string TableText(const Scop& scop, const Schedule& schedule);

}  // namespace exh::poly
