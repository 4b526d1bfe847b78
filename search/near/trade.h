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

#include <optional>
#include <vector>

#include "base/random.h"
#include "runtime/candidate.h"
#include "runtime/products/products.h"
#include "search/log/log_records.h"

namespace exh::search {

class Trades {
 public:
  /// Of the implementations of this instance.
  explicit Trades(const runtime::Instance& instance) : products_(ProductsOf(instance)) {}

  /// Without products there are no trades.
  bool are_there() const { return !products_.empty(); }
  /// Steps from an implementation, of which `path` has the decisions. Empty: none was found. From
  /// any thread.
  std::vector<PathStep> Draw(const runtime::Candidate& implementation, const Path& path,
                             Random& random) const;

 private:
  bool IsFactor(runtime::DecisionId decision) const;
  std::optional<PathStep> DrawMove(const runtime::Candidate& candidate, const Path& path,
                                   Random& random) const;

  std::vector<runtime::Product> products_;
};

}  // namespace exh::search
