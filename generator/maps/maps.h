// SPDX-License-Identifier: MIT
#pragma once

#include "dsl/spec.h"
#include "generator/generator.h"

namespace exh::generator {

/// Prints an engine of the paper's kind for a space: hash maps, one filter at a time,
/// loops over sets. It is the yardstick of the benchmarks. The files, ".maps.h" and ".maps.cc",
/// stand beside those of Generate() and use their host. Pure, as Generate() is.
Generated GenerateMaps(const dsl::Spec& spec, const Options& options);

}  // namespace exh::generator
