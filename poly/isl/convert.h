// SPDX-License-Identifier: MIT
//
// Between our plain values and isl's sets. For this folder alone.
#pragma once

#include "poly/isl/dependences.h"
#include "poly/isl/owners.h"
#include "poly/schedule.h"
#include "poly/scop.h"

namespace exh::poly {

/// The executions of all statements, for all parameters that are not below kLeastParameter.
Owner<isl_union_set> DomainOf(const Scop& scop);

/// From the executions of all statements to the cells of some arrays that they read, or that they
/// write.
Owner<isl_union_map> AccessesOf(const Scop& scop, const std::vector<bool>& arrays, bool writes);

/// From the executions of all statements to their dates.
Owner<isl_union_map> MapOf(const Scop& scop, const Schedule& schedule);

/// The pairs of a dependence, as a relation of its two statements.
Owner<isl_basic_map> MapOf(const Scop& scop, const Dependence& dependence);

/// All dependences as one relation.
Owner<isl_union_map> MapOf(const Scop& scop, const std::vector<Dependence>& dependences);

/// An isl matrix of our rows, whose numbers must fit 32 bits.
Owner<isl_mat> MatrixOf(const IntMatrix& rows, int num_columns);

/// Our rows of an isl matrix. Throws TooLarge if a number does not fit 32 bits.
IntMatrix RowsOf(const Owner<isl_mat>& matrix);

}  // namespace exh::poly
