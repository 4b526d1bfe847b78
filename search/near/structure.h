// SPDX-License-Identifier: MIT
//
// Structure: what an implementation consists of. Triggers add objects to a candidate (a temporary
// array, and what fills and reads it), so that implementations differ not only in how things are
// done but in what there is. A step from one structure to another changes much at once: how good a
// structure is shows only when many of its implementations were tried.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/candidate.h"

namespace exh::search {

class Structure {
 public:
  /// Of implementations below `root`.
  explicit Structure(const runtime::Candidate& root);

  /// The same number for two implementations that consist of the same objects; 0 for those that
  /// have only the objects that every implementation has.
  std::uint64_t Of(const runtime::Candidate& implementation) const;

 private:
  /// Objects that are not in every implementation for certain, with their sets.
  std::vector<std::pair<int, runtime::Object>> planned_;
};

}  // namespace exh::search
