// SPDX-License-Identifier: MIT
//
// What a log says at its ends. How far a run is, and what its best takes, stands in the first line
// and in the last ones; what lies between is most of a log, and is not parsed. So a thousand logs
// are looked at in a moment.
#pragma once

#include <string>

#include "search/log/log_reader.h"

namespace exh::search {

/// Of the log that ReadLog() would read: its header, its end with the yardsticks and the rates
/// there, the last best with its evaluation, the last evaluation, and the latest `dt`. All of that
/// is as ReadLog() says it, so that BestTimeOf() says the same. Nothing else is there: no
/// decisions, no dead ends, no other evaluations; and damage of lines that were not looked at is
/// not seen. A log that does not begin with a header is read as a whole. Throws as ReadLog().
Log ReadLogEnds(const std::string& run);

}  // namespace exh::search
