// SPDX-License-Identifier: MIT
//
// What a program of a user says of one implementation:
//
//   {"verdict": "correct", "runtimes_ns": [1.9e6, 1.92e6], "error_ratio": 0.2, "why": "…"}
//   time_ms 1.23
//
// Verdicts are those of the log. An answer with a time and without a verdict is `unchecked`. What
// is no answer is not the implementation's fault: kBroken, with what would be right.
#pragma once

#include <string>
#include <string_view>

#include "kernels/evaluation.h"

namespace exh::search {

/// The measurement that an object says. `trust_times`: a time without a verdict is correct.
kernels::Measurement ReadAnswer(std::string_view json, bool trust_times);

/// The same of all that a program printed: its last line that is not empty is such an object, or
/// `time_ns`, `time_us`, `time_ms` or `time_s` with numbers behind it.
kernels::Measurement ReadLastLine(std::string_view output, bool trust_times);

/// Of an answer that is no answer. Never throws.
kernels::Measurement NoAnswer(std::string why);

}  // namespace exh::search
