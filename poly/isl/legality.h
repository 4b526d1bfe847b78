// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "poly/isl/dependences.h"
#include "poly/schedule.h"
#include "poly/scop.h"

namespace exh::poly {

/// Why a schedule is illegal: a dependence, by the names of its statements, of which isl finds a
/// pair whose target is not later than its source, and the row. Empty where isl proves that there
/// is none, for all parameters. This knows nothing of Farkas' lemma, and nothing of how the
/// schedule was found. Throws IslError.
std::string WhyIllegal(const Scop& scop, const std::vector<Dependence>& dependences,
                       const Schedule& schedule);

/// Whether all pairs of a dependence that `rows` put at one date are none: the rows order it. It is
/// assumed that no row orders it the wrong way round. Rows are those of the source and of the
/// target.
bool IsOrdered(const Scop& scop, const Dependence& dependence, const IntMatrix& source_rows,
               const IntMatrix& target_rows);

/// By row and dependence, whether the row carries it: there is a pair that no earlier row orders
/// and this one does. A loop may run in parallel where it carries none of the dependences between
/// the statements in it. The schedule must be legal. Throws IslError.
std::vector<std::vector<bool>> CarriedBy(const Scop& scop,
                                         const std::vector<Dependence>& dependences,
                                         const Schedule& schedule);

/// By row and dependence, whether there is a pair to which the row gives two dates. A loop may be
/// moved out of all others, and run in parallel there, where its row gives every pair of the
/// dependences between all statements in these loops one date. Throws IslError.
std::vector<std::vector<bool>> SeparatedBy(const Scop& scop,
                                           const std::vector<Dependence>& dependences,
                                           const Schedule& schedule);

}  // namespace exh::poly
