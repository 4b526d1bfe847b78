// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/random.h"

namespace exh::tests {

/// The text of a functional program of one kernel, drawn at random: maps over views of an input,
/// copies in memory of all kinds, reductions.
std::string RandomProgram(Random& random);

}  // namespace exh::tests
