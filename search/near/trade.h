// SPDX-License-Identifier: MIT
//
// Trades: changes of several decisions at once that no step alone can make.
//
// Where decisions multiply to a number that is given, as the levels of a tiled axis do, one of them
// cannot change alone. A trade multiplies one factor and divides another one by the same number:
//
//   m0 * m1 * m2 = 1024        m1 takes a factor 2 from m0        m0 * m1 * m2 = 1024
//    8    16    8              ---------------------------->       4    32    8
//
// What else must follow, such as the tiles of whatever hands its values over, propagation finds
// out: a trade is taken first, and of the rest what agrees with it is kept. So a threads' level
// trades against copies, a slice of a sum against blocks, a tile of load and computation alike.
// One trade in four also moves a number that is in no product to one of its neighbours: tiles twice
// as deep with one stage less. None of this knows what the decisions mean.
#pragma once

#include <vector>

#include "base/random.h"
#include "runtime/candidate.h"
#include "search/log/log_records.h"

namespace exh::search {

/// Steps from an implementation, of which `path` has the decisions. Empty: none was found.
std::vector<PathStep> DrawTrade(const runtime::Candidate& implementation, const Path& path,
                                Random& random);

}  // namespace exh::search
