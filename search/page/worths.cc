// SPDX-License-Identifier: MIT
#include "search/page/worths.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "search/log/run_folder.h"
#include "search/page/json_beside.h"

namespace exh::search {
namespace {

using Beside = JsonBeside;

/// Decisions that a page shows; the others are worth less.
constexpr std::size_t kMostDecisions = 40;

/// A ratio; null where nothing was timed.
void WriteRatio(double ratio, ScriptJson& json) {
  if (ratio > 0) {
    json.Number(ratio);
  } else {
    json.Null();
  }
}

void WriteDecision(const Json& decision, ScriptJson& json) {
  json.Open('[');
  json.Text(Beside::TextAt(decision, "name"));
  json.Text(Beside::TextAt(decision, "value"));
  json.Number(Beside::NumberAt(decision, "worth"));
  json.Open('[');
  for (const Json& other : Beside::At(decision, "others")) {
    json.Open('[');
    json.Text(Beside::TextAt(other, "value"));
    WriteRatio(Beside::NumberAt(other, "ratio"), json);
    json.Text(Beside::TextAt(other, "verdict"));
    json.Integer(static_cast<std::int64_t>(Beside::NumberAt(other, "follows")));
    json.Close();
  }
  json.Close();
  json.Close();
}

}  // namespace

void WriteWorths(const std::string& name, const Log& log, ScriptJson& json) {
  const std::optional<JsonBeside> read = Beside::Begin("why", WhyPath(name), log, json);
  if (!read) return;
  json.Key("noise").Number(Beside::NumberAt(read->json(), "noise"));
  json.Key("decisions").Open('[');
  std::size_t count = 0;
  for (const Json& decision : Beside::At(read->json(), "decisions")) {
    if (count == kMostDecisions || Beside::NumberAt(decision, "worth") <= 0) break;
    WriteDecision(decision, json);
    ++count;
  }
  json.Close();
  json.Key("steps").Open('[');
  for (const Json& step : Beside::At(read->json(), "steps")) {
    json.Open('[');
    json.Text(Beside::TextAt(step, "name"));
    json.Text(Beside::TextAt(step, "value"));
    WriteRatio(Beside::NumberAt(step, "ratio"), json);
    json.Close();
  }
  json.Close();
  json.Key("again").Number(Beside::NumberAt(Beside::At(read->json(), "again"), "ratio"));
  json.Close();
}

}  // namespace exh::search
