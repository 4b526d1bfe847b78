// SPDX-License-Identifier: MIT
#include "search/page/worths.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "search/log/run_folder.h"

namespace exh::search {
namespace {

/// Decisions that a page shows; the others are worth less.
constexpr std::size_t kMostDecisions = 40;

const Json& At(const Json& object, const char* key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

std::string TextAt(const Json& object, const char* key) {
  const Json& value = At(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

double NumberAt(const Json& object, const char* key) {
  const Json& value = At(object, key);
  return value.is_number() ? value.get<double>() : 0;
}

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
  json.Text(TextAt(decision, "name"));
  json.Text(TextAt(decision, "value"));
  json.Number(NumberAt(decision, "worth"));
  json.Open('[');
  for (const Json& other : At(decision, "others")) {
    json.Open('[');
    json.Text(TextAt(other, "value"));
    WriteRatio(NumberAt(other, "ratio"), json);
    json.Text(TextAt(other, "verdict"));
    json.Integer(static_cast<std::int64_t>(NumberAt(other, "follows")));
    json.Close();
  }
  json.Close();
  json.Close();
}

std::optional<Json> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  Json json = Json::parse(text.str(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

}  // namespace

void WriteWorths(const std::string& name, const Log& log, ScriptJson& json) {
  json.Key("why");
  const std::optional<Json> read = ReadFile(WhyPath(name));
  const double record = read ? NumberAt(*read, "record") : 0;
  // Doubles hold the numbers of all records that fit a file.
  if (!(record >= 1 && record < 1e15) || log.Find(static_cast<std::uint64_t>(record)) == nullptr) {
    json.Null();
    return;
  }
  json.Open('{');
  json.Key("record").Integer(static_cast<std::int64_t>(record));
  json.Key("noise").Number(NumberAt(*read, "noise"));
  json.Key("decisions").Open('[');
  std::size_t count = 0;
  for (const Json& decision : At(*read, "decisions")) {
    if (count == kMostDecisions || NumberAt(decision, "worth") <= 0) break;
    WriteDecision(decision, json);
    ++count;
  }
  json.Close();
  json.Key("steps").Open('[');
  for (const Json& step : At(*read, "steps")) {
    json.Open('[');
    json.Text(TextAt(step, "name"));
    json.Text(TextAt(step, "value"));
    WriteRatio(NumberAt(step, "ratio"), json);
    json.Close();
  }
  json.Close();
  json.Key("again").Number(NumberAt(At(*read, "again"), "ratio"));
  json.Close();
}

}  // namespace exh::search
