// SPDX-License-Identifier: MIT
//
// Structure: what an implementation consists of. Triggers add objects to a candidate (a temporary
// array, and what fills and reads it), so that implementations differ not only in how things are
// done but in what there is. A step from one structure to another changes much at once: how good a
// structure is shows only when many of its implementations were tried.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
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

  /// Which of the objects are there: what is to be said of a candidate, so that all below it
  /// consists of the same objects as the implementation.
  std::vector<runtime::MembershipAction> ActionsOf(const runtime::Candidate& implementation) const;

 private:
  /// Objects that are not in every implementation for certain, with their sets.
  std::vector<std::pair<int, runtime::Object>> planned_;
};

/// The structures that a search has met. A candidate that is *confined* to one of them has lost
/// whatever leads to others, and everything that its objects require is propagated already: so a
/// descent from it meets fewer dead ends, and none that it finds is of another structure. Any
/// thread may call everything.
class KnownStructures {
 public:
  /// `root` outlives it.
  explicit KnownStructures(const runtime::Candidate& root) : root_(root), structure_(root) {}

  /// This implementation exists. Returns the number of its structure.
  std::uint64_t Add(const runtime::Candidate& implementation);
  /// The root confined to a structure: of one that nobody has added, the root itself.
  runtime::Candidate Confined(std::uint64_t structure) const;

 private:
  const runtime::Candidate& root_;
  const Structure structure_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::vector<runtime::MembershipAction>> known_;
};

}  // namespace exh::search
