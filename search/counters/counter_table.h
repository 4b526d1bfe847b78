// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/counters/counters.h"
#include "search/counters/foretold.h"

namespace exh::search {

/// One number of a run.
struct CounterRow {
  std::string what, unit, source;
  double counted = 0;
  std::optional<double> least, guessed;  ///< Foretold.
};

struct CounterTable {
  std::string tool, why;  ///< As in CounterReading.
  std::vector<CounterRow> rows;
};

/// What was counted, in the order in which it is read; what is foretold and was not counted is left
/// out.
CounterTable TableOf(const kernels::CounterReading& reading, const Foretold& foretold);

/// For people, in lines; also where nothing was counted: why, then.
std::string CountersText(const CounterTable& table);

/// As JSON of one line: {"record":17,"tool":…,"why":…,"rows":[{"what":…,"unit":…,"source":…,
/// "counted":…,"least":…,"guessed":…}]} (docs/log.md). `record`: the number in its log.
std::string CountersJson(const CounterTable& table, std::uint64_t record);

/// Where that of a run lies, beside its log. `run`: the folder, or the log.
std::string CountersPath(const std::string& run);

}  // namespace exh::search
