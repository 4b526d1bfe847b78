// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tests/support/table_host.h"

namespace exh::tests {

/// A random small space over every construct: sets of all kinds, enums, integers, counters,
/// quotients, triggers with planned objects, requirements. The same seed gives the same space.
TestSpace RandomSpace(std::uint64_t seed);

/// The same with `num_items` objects in its largest set, more values and longer clauses: too large
/// for the oracle, large enough for rows.
TestSpace LargeRandomSpace(std::uint64_t seed, int num_items);

}  // namespace exh::tests
