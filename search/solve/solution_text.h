// SPDX-License-Identifier: MIT
//
// Solutions as people and programs read them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/candidate.h"

namespace exh::search {

/// The decisions of an implementation by choice, several on a line, each line behind two blanks:
///   column  r0=0  r1=4  …
std::string SolutionText(const runtime::Candidate& solution);

/// {"column(r0)": 0, "layout": "ROWS", …}: numbers of integer choices, names of values of the
/// others.
nlohmann::ordered_json SolutionJson(const runtime::Candidate& solution);

}  // namespace exh::search
