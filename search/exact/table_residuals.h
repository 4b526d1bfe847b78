// SPDX-License-Identifier: MIT
//
// TableResiduals: what a relation still says of domains that have shrunk. Of the combinations that
// it allows, those within the domains are looked at: which positions do not depend on each other
// any more, and what is left for those that do. Equal remains have equal numbers, whatever
// constrained values led to them, so that what was counted for one is known for the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/ground.h"

namespace exh::search {

/// Positions that depend on each other, and a number of what the relation says of them: the same
/// number means the same combinations of the same domains.
struct ResidualGroup {
  std::uint8_t positions = 0;  ///< A bit each.
  std::uint32_t content = 0;
};

/// At most one group a position; positions in no group may take all values of their domains,
/// whatever the others take.
struct TableResidual {
  bool impossible = false;  ///< No combination is left.
  std::uint8_t num_groups = 0;
  std::array<ResidualGroup, 4> groups{};
};

class TableResiduals {
 public:
  explicit TableResiduals(const runtime::GroundForm& form) : form_(form) {}
  TableResiduals(const TableResiduals&) = delete;
  TableResiduals& operator=(const TableResiduals&) = delete;

  /// Of the relation, for one domain by position, none of them empty.
  TableResidual Find(std::uint32_t relation, std::span<const runtime::Bits> domains);

  /// For relations between two positions: by value of the first, the values of the second.
  std::span<const runtime::Bits> Rows(std::uint32_t relation);

 private:
  /// All combinations of a relation, in the order of their mixed radix: the last position fastest.
  struct Combinations {
    bool known = false;
    std::vector<int> sizes;
    std::vector<bool> allowed;
    std::vector<runtime::Bits> rows;  ///< Of two positions.
  };
  const Combinations& All(std::uint32_t relation);
  TableResidual Compute(const Combinations& all, std::span<const runtime::Bits> domains);

  const runtime::GroundForm& form_;
  std::vector<Combinations> combinations_;
  std::unordered_map<std::string, TableResidual> known_;
  std::unordered_map<std::string, std::uint32_t> contents_;
  std::uint32_t next_content_ = 0;  ///< Numbers are never given twice.
};

}  // namespace exh::search
