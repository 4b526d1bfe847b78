// SPDX-License-Identifier: MIT
//
// What a process that measures answers: one line of JSON.
#pragma once

#include <optional>
#include <string>

#include "kernels/evaluation.h"

namespace exh::kernels::cpu {

/// compile_ms does not travel: the runner does not know it.
std::string ToJsonLine(const Measurement& measurement);
std::optional<Measurement> ParseMeasurement(const std::string& line);

}  // namespace exh::kernels::cpu
