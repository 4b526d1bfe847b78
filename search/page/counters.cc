// SPDX-License-Identifier: MIT
#include "search/page/counters.h"

#include <cstddef>
#include <optional>

#include "search/counters/counter_table.h"
#include "search/page/json_beside.h"

namespace exh::search {
namespace {

using Beside = JsonBeside;

/// Rows that a page shows. There are fewer counters.
constexpr std::size_t kMostRows = 100;

void WriteForetold(const Json& row, const char* key, ScriptJson& json) {
  if (Beside::At(row, key).is_number()) {
    json.Number(Beside::NumberAt(row, key));
  } else {
    json.Null();
  }
}

void WriteRow(const Json& row, ScriptJson& json) {
  json.Open('[');
  json.Text(Beside::TextAt(row, "what"));
  json.Text(Beside::TextAt(row, "unit"));
  json.Text(Beside::TextAt(row, "source"));
  json.Number(Beside::NumberAt(row, "counted"));
  WriteForetold(row, "least", json);
  WriteForetold(row, "guessed", json);
  json.Close();
}

}  // namespace

void WriteCounters(const std::string& name, const Log& log, ScriptJson& json) {
  const std::optional<JsonBeside> read = Beside::Begin("counters", CountersPath(name), log, json);
  if (!read) return;
  json.Key("tool").Text(Beside::TextAt(read->json(), "tool"));
  json.Key("why").Text(Beside::TextAt(read->json(), "why"));
  json.Key("rows").Open('[');
  std::size_t count = 0;
  for (const Json& row : Beside::At(read->json(), "rows")) {
    if (count++ == kMostRows) break;
    WriteRow(row, json);
  }
  json.Close();
  json.Close();
}

}  // namespace exh::search
