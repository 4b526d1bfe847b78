// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "search/log/log_json.h"
#include "search/log/log_reader.h"
#include "search/page/script_json.h"

namespace exh::search {

/// An object of JSON that another command left beside a log. Anybody may have written it: what is
/// not there, or of another kind, reads as nothing.
class JsonBeside {
 public:
  /// Nothing: there is no such file, or it is damaged.
  static std::optional<JsonBeside> Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::ostringstream text;
    text << file.rdbuf();
    Json json = Json::parse(text.str(), nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) return std::nullopt;
    return JsonBeside(std::move(json));
  }

  /// Begins the member `key` of a page with what such a file says of a record of `log`: an object,
  /// open still, whose first member is the record. Nothing, and a null: it says nothing of that
  /// log.
  static std::optional<JsonBeside> Begin(const char* key, const std::string& path, const Log& log,
                                         ScriptJson& json) {
    json.Key(key);
    std::optional<JsonBeside> read = Read(path);
    const std::uint64_t record = read ? read->RecordIn(log) : 0;
    if (record == 0) {
      json.Null();
      return std::nullopt;
    }
    json.Open('{');
    json.Key("record").Integer(static_cast<std::int64_t>(record));
    return read;
  }

  static const Json& At(const Json& object, const char* key) {
    static const Json kNothing;
    if (!object.is_object()) return kNothing;
    const auto found = object.find(key);
    return found == object.end() ? kNothing : *found;
  }
  static std::string TextAt(const Json& object, const char* key) {
    const Json& value = At(object, key);
    return value.is_string() ? value.get<std::string>() : "";
  }
  static double NumberAt(const Json& object, const char* key) {
    const Json& value = At(object, key);
    return value.is_number() ? value.get<double>() : 0;
  }

  const Json& json() const { return json_; }
  /// The record that it is of, as its log has it; 0: none of that log.
  std::uint64_t RecordIn(const Log& log) const {
    // Doubles hold the numbers of all records that fit a file.
    constexpr double kMost = 1e15;
    const double record = NumberAt(json_, "record");
    if (!(record >= 1 && record < kMost)) return 0;
    const auto number = static_cast<std::uint64_t>(record);
    return log.Find(number) == nullptr ? 0 : number;
  }

 private:
  explicit JsonBeside(Json json) : json_(std::move(json)) {}

  Json json_;
};

}  // namespace exh::search
