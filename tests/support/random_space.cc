// SPDX-License-Identifier: MIT
#include "tests/support/random_space.h"

#include "tests/support/space_builder.h"

namespace exh::tests {

TestSpace RandomSpace(std::uint64_t seed) {
  return SpaceBuilder(seed).Build();
}

TestSpace LargeRandomSpace(std::uint64_t seed, int num_items) {
  return SpaceBuilder(seed, num_items).Build();
}

}  // namespace exh::tests
