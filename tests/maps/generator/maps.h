// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "dsl/spec.h"
#include "generator/generator.h"

namespace exh::generator {

/// Prints an engine of the paper's kind for a space: hash maps, one filter at a time,
/// loops over sets. It is the yardstick of the benchmarks. The files, ".maps.h" and ".maps.cc",
/// stand beside those of Generate() and use their host. Pure, as Generate() is. There are none
/// where Generate() or FindMapsRefusals() refuses something.
Generated GenerateMaps(const dsl::Spec& spec, const Options& options);

/// What this engine cannot do although the other one can, each with its place:
/// "space.exh:12: a condition compares terms".
std::vector<std::string> FindMapsRefusals(const dsl::Spec& spec);

}  // namespace exh::generator
