// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "poly/schedule.h"
#include "poly/scop.h"

namespace exh::poly {

/// The loops that execute the statements in the order of a schedule, as C, for people: isl makes
/// them. Statements are calls with their iterators as arguments, parameters are n0, n1, ...; c0 is
/// the loop of row 0. The schedule must be legal. Throws IslError.
std::string LoopsText(const Scop& scop, const Schedule& schedule);

}  // namespace exh::poly
