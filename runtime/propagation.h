// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "runtime/space.h"

namespace exh::runtime {

/// Result of a propagation: nothing left to restrict, or an empty domain.
enum class [[nodiscard]] Propagation : std::uint8_t{kFixpoint, kDeadEnd};

/// Is an object a member of a set?
enum class Membership : std::uint8_t { kExcluded, kUndecided, kCertain };

/// What a ground constraint comes from, for messages and statistics.
struct Origin {
  enum class Kind : std::uint8_t {
    kNone,         ///< No conflict, or the restriction itself asked for an excluded value.
    kRequirement,  ///< `index` in Space::requirements.
    kCounter,      ///< `index` in Space::choices.
    kTrigger,      ///< `index` in Space::triggers.
    kQuotient,     ///< `index` in Space::quotients.
  };
  Kind kind = Kind::kNone;
  int index = -1;
  friend auto operator<=>(const Origin&, const Origin&) = default;
};

/// Why a propagation met a dead end.
struct Conflict {
  Origin origin;
  /// Index in Space::requirements, or -1.
  int requirement() const { return origin.kind == Origin::Kind::kRequirement ? origin.index : -1; }
  friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// "requirement order_transitive (order.exh:40)", "counter num_threads (limits.exh:7)", ….
std::string OriginText(const Space& space, const Origin& origin);

}  // namespace exh::runtime
