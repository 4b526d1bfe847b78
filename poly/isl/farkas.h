// SPDX-License-Identifier: MIT
//
// The affine form of Farkas' lemma: a form is >= 0 on all points of a polyhedron exactly when it is
// a sum, with factors >= 0, of the polyhedron's bounds and a constant >= 0. isl eliminates the
// factors. What is left is a polyhedron of forms: of the coefficients alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "poly/isl/dependences.h"
#include "poly/matrix.h"

namespace exh::poly {

/// The forms that are >= 0 on a polyhedron. The columns of both matrices are the coefficients of a
/// form: of its variables, its parameters, its constant. There is no constant beside them: the
/// forms are a cone.
struct Dual {
  IntMatrix equalities;    // Each row times the coefficients is 0.
  IntMatrix inequalities;  // Each row times the coefficients is >= 0.
};

/// Whether the form is >= 0 on all rational points of the polyhedron.
bool Contains(const Dual& dual, const IntRow& form);

/// Duals, each calculated once for all polyhedra of one shape: those that differ in which
/// parameters their bounds name. For one thread.
class DualCache {
 public:
  /// The forms that are >= 0 on the polyhedron, of which all parameters are >= kLeastParameter. It
  /// must have a point. Throws IslError.
  Dual Of(const Polyhedron& polyhedron);

  /// How often isl was asked.
  int num_calculated() const { return num_calculated_; }

 private:
  std::map<Polyhedron, std::shared_ptr<const Dual>> duals_;
  int num_calculated_ = 0;
};

}  // namespace exh::poly
