// SPDX-License-Identifier: MIT
//
// Uniform random descents from the root, with restarts: the space as it is. Nothing is learned.
#pragma once

#include "search/descend/patient_descent.h"
#include "search/propose/proposer.h"

namespace exh::search {

struct RandomDescentsOptions {
  Patience patience = {};  ///< When a descent restarts, and when it gives up.
};

class RandomDescents final : public Proposer {
 public:
  /// `entries` outlives it.
  explicit RandomDescents(const EntryMaker& entries, const RandomDescentsOptions& options = {})
      : entries_(entries), options_(options) {}

  /// Never false.
  bool Propose(Random& random, Attempt& attempt) override;

 private:
  const EntryMaker& entries_;
  RandomDescentsOptions options_;
};

}  // namespace exh::search
