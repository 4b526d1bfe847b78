// SPDX-License-Identifier: MIT
//
// What the reports of simulations are made of: columns for people, numbers for JSON.
#pragma once

#include <string>
#include <vector>

#include "search/log/log_json.h"
#include "search/simulate/traces.h"

namespace exh::search {

/// Rows in columns: the first one to the left, as wide as its longest word, the others to the
/// right. There is a row, and all have as many columns as the first.
std::string TableText(const std::vector<std::vector<std::string>>& rows);

/// "42"; of infinity "-".
std::string CountText(double count);

/// "42 (17-96)": median, least and most.
std::string ReachedText(const Reached& reached);

/// Of infinity null.
Json NumberJson(double value);
Json NumbersJson(const std::vector<double>& values);

/// An object for each: `percent`, `least`, `median`, `most`.
Json ReachedJson(const std::vector<Reached>& all);

}  // namespace exh::search
