// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tests/support/table_host.h"

namespace exh::tests {

/// A random small space as RandomSpace draws them, and in it integer decisions of 2 to 300 values,
/// terms of every kind of node on both sides of comparisons (negated ones, divisions by what may be
/// 0, beside other conditions, in clauses, counters, quotients and triggers), counters that count
/// terms and counters that begin below 0. It has at least 2 and at most `most_assignments` full
/// assignments. The same seed and limit give the same space.
TestSpace RandomTermSpace(std::uint64_t seed, std::uint64_t most_assignments = 200'000);

}  // namespace exh::tests
