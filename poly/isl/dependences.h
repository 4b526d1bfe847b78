// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "poly/matrix.h"
#include "poly/scop.h"

namespace exh::poly {

/// Points between affine bounds. The columns of both matrices are variables, parameters, the
/// constant.
struct Polyhedron {
  int num_variables = 0;
  int num_parameters = 0;
  IntMatrix equalities;    // Each row is 0.
  IntMatrix inequalities;  // Each row is >= 0.

  friend bool operator==(const Polyhedron&, const Polyhedron&) = default;
  friend auto operator<=>(const Polyhedron&, const Polyhedron&) = default;
};

/// Pairs of executions that touch one cell, at least one of them writing, the source before the
/// target. The variables of `pairs` are the iterators of the source, then those of the target.
/// Where isl needs a division to say which pairs these are, `pairs` has some more.
struct Dependence {
  int source = 0;
  int target = 0;
  Polyhedron pairs;

  friend bool operator==(const Dependence&, const Dependence&) = default;
  friend auto operator<=>(const Dependence&, const Dependence&) = default;
};

/// Which pairs count. Schedules that are legal for one kind are legal for the other; what
/// schedulers make of them differs.
enum class DependenceKind {
  /// The last write before a read or write, and the reads between two writes. What is implied by a
  /// chain
  /// of others is left out.
  kValue,
  /// All pairs, implied or not.
  kMemory,
};

/// The dependences of a scop that is right (ProblemOf), in an order that does not depend on isl's.
/// Throws IslError.
std::vector<Dependence> DependencesOf(const Scop& scop, DependenceKind kind);

}  // namespace exh::poly
