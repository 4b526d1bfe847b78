// SPDX-License-Identifier: MIT
#include "search/counters/counter_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/numbers.h"
#include "search/log/log_reader.h"

namespace exh::search {
namespace {

using kernels::Counter;
using kernels::CounterReading;

struct Named {
  std::string_view key, what;
};
/// What is shown, and how it is called.
constexpr std::array kShown = {
    Named{"ns", "time"},
    Named{"flops", "operations of numbers, without matrix units"},
    Named{"dram_bytes", "main memory"},
    Named{"dram_read_bytes", "… read"},
    Named{"dram_written_bytes", "… written"},
    Named{"l2_bytes", "second cache, all that passes"},
    Named{"l2_to_l1_bytes", "… into all units"},
    Named{"unit_l2_to_l1_bytes", "… into one unit"},
    Named{"shared_wavefronts", "shared memory"},
    Named{"unit_shared_wavefronts", "… of one unit"},
    Named{"unit_shared_conflicts", "… for conflicts of banks"},
    Named{"instructions", "instructions"},
    Named{"unit_instructions", "… of one unit"},
    Named{"unit_tensor_instructions", "… of matrix units"},
    Named{"blocks", "blocks"},
    Named{"waves", "waves of blocks"},
    Named{"registers", "registers"},
    Named{"shared_bytes", "shared memory of a block"},
    Named{"occupancy", "warps at once"},
    Named{"cycles", "clocks"},
    Named{"first_misses", "misses of the first cache"},
    Named{"last_misses", "misses of the last cache"},
    Named{"branch_misses", "jumps that were not foreseen"},
    Named{"thread_ns", "time of threads"},
    Named{"page_faults", "pages that were not there"},
};

struct Part {
  std::string_view key;
  double times = 1;
};

/// A counter that is a sum of others; nothing is added where none of them is there.
void AddSum(std::string_view key, std::string_view unit, std::string_view source,
            std::initializer_list<Part> parts, CounterReading& reading) {
  double sum = 0;
  bool is_there = false;
  for (const Part& part : parts) {
    const Counter* const counter = reading.Find(part.key);
    if (counter == nullptr) continue;
    is_there = true;
    sum += part.times * counter->value;
  }
  if (is_there) {
    reading.counters.push_back({std::string(key), sum, std::string(unit), std::string(source)});
  }
}

std::optional<double> ValueIn(const std::map<std::string, double, std::less<>>& values,
                              std::string_view key) {
  const auto found = values.find(key);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::string NumberText(double number, std::string_view unit) {
  if (unit == "ns" || unit == "ns of all threads") return FormatTime(number);
  return fmt::format("{:.4g}", number);
}

std::string NumberText(const std::optional<double>& number, std::string_view unit) {
  return number ? NumberText(*number, unit) : "-";
}

/// How far off it was: of the estimate, or else of the bound.
std::string RatioText(const CounterRow& row) {
  const double foretold = row.guessed.value_or(row.least.value_or(0));
  return foretold > 0 ? fmt::format("{:.2f}x", row.counted / foretold) : "-";
}

nlohmann::json NumberJson(const std::optional<double>& number) {
  return number ? nlohmann::json(*number) : nlohmann::json();
}

}  // namespace

CounterTable TableOf(const CounterReading& counted, const Foretold& foretold) {
  CounterReading reading = counted;
  AddSum("flops", "operations", "adds, products and twice the multiply-adds",
         {{"f32_adds"},
          {"f32_products"},
          {"f32_fmas", 2},
          {"f64_adds"},
          {"f64_products"},
          {"f64_fmas", 2}},
         reading);
  AddSum("flops", "operations", "fp_arith_inst_retired, by elements",
         {{"floats_1"}, {"floats_2", 2}, {"floats_4", 4}, {"floats_8", 8}, {"floats_16", 16}},
         reading);
  AddSum("shared_bytes", "bytes", "static and dynamic",
         {{"static_shared_bytes"}, {"dynamic_shared_bytes"}}, reading);
  CounterTable table{reading.tool, reading.why, {}};
  for (const Named& shown : kShown) {
    const Counter* const counter = reading.Find(shown.key);
    if (counter == nullptr) continue;
    table.rows.push_back({std::string(shown.what), counter->unit, counter->source, counter->value,
                          ValueIn(foretold.least, shown.key),
                          ValueIn(foretold.guessed, shown.key)});
  }
  return table;
}

std::string CountersPath(const std::string& run) {
  return (std::filesystem::path(LogPath(run)).parent_path() / "counters.json").string();
}

std::string CountersText(const CounterTable& table) {
  std::string text;
  if (!table.rows.empty()) {
    text = fmt::format("one run, counted by {}, beside what was foretold:\n", table.tool);
    text += fmt::format("  {:<44} {:>10} {:>10} {:>10} {:>8}  {}\n", "", "counted", "at least",
                        "guessed", "is", "unit; source");
    for (const CounterRow& row : table.rows) {
      text += fmt::format("  {:<44} {:>10} {:>10} {:>10} {:>8}  {}; {}\n", row.what,
                          NumberText(row.counted, row.unit), NumberText(row.least, row.unit),
                          NumberText(row.guessed, row.unit), RatioText(row), row.unit, row.source);
    }
  }
  if (!table.why.empty()) {
    text += fmt::format("{}: {}\n", table.rows.empty() ? "no counters" : "not counted", table.why);
  }
  return text;
}

std::string CountersJson(const CounterTable& table, std::uint64_t record) {
  nlohmann::json rows = nlohmann::json::array();
  for (const CounterRow& row : table.rows) {
    rows.push_back({{"what", row.what},
                    {"unit", row.unit},
                    {"source", row.source},
                    {"counted", row.counted},
                    {"least", NumberJson(row.least)},
                    {"guessed", NumberJson(row.guessed)}});
  }
  const nlohmann::json json = {
      {"record", record}, {"tool", table.tool}, {"why", table.why}, {"rows", std::move(rows)}};
  constexpr int kNoIndent = -1;
  return json.dump(kNoIndent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace exh::search
