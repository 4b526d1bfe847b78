// SPDX-License-Identifier: MIT
//
// PackedNode: a candidate as a search tree stores it. Only what the root leaves open is kept, as
// many bits a decision as it has values there; everything else follows.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/candidate.h"

namespace exh::runtime {

class PackedNode {
 public:
  /// `candidate` is at a fixpoint.
  explicit PackedNode(const Candidate& candidate);

  /// The candidate again, byte for byte. `instance` is the one that it was packed from.
  Candidate Unpack(std::shared_ptr<const Instance> instance) const;

  std::size_t num_bytes() const { return bytes_.size(); }
  friend bool operator==(const PackedNode&, const PackedNode&) = default;

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace exh::runtime
