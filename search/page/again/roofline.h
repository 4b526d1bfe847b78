// SPDX-License-Identifier: MIT
//
// Where implementations stand below the roofs of their device.
#pragma once

#include <cstddef>

#include "search/log/log_reader.h"
#include "search/page/again/rebuilt.h"
#include "search/page/script_json.h"

namespace exh::search {

/// The member "roofline": null where the device's rates are not known. "peak" is in GFLOP/s,
/// "unitPeak" the same of matrix units with halves or 0, "traffic" and "memory" in GB/s, into all
/// units and from main memory. "n" and "intensity" are columns of `most` evaluations at most, the
/// fastest and some of the others: operations for each byte that arrives in a unit.
void WriteRoofline(const Log& log, const Rebuilt& rebuilt, std::size_t most, ScriptJson& json);

}  // namespace exh::search
