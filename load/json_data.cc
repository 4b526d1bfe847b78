// SPDX-License-Identifier: MIT
#include "load/json_data.h"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/spelling.h"
#include "base/user_json.h"

namespace exh::load {
namespace {

constexpr std::int64_t kLargestNumber = std::int64_t{1} << 31;
constexpr std::size_t kLongestShown = 60;

/// "a number", "the text \"x\"": what stands there.
std::string Shown(const Json& json) {
  return Shortened(json.dump(-1, ' ', false, Json::error_handler_t::replace), kLongestShown);
}

}  // namespace

JsonData::JsonData(const std::string& text, std::string name)
    : name_(name.empty() ? "the data" : std::move(name)), root_(Json::object()) {
  if (text.empty()) return;
  std::vector<std::set<std::string>> keys;  // Of the objects that are open.
  std::string twice;
  const auto look = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(parsed.get<std::string>()).second && twice.empty()) {
      twice = parsed.get<std::string>();
    }
    return true;
  };
  try {
    ParseUserJson(text);
  } catch (const Error& error) {
    throw UsageError(fmt::format("{}: it is no JSON: {}", name_, error.what()));
  }
  root_ = Json::parse(text, look);
  if (!root_.is_object()) {
    throw UsageError(fmt::format("{}: one JSON object is wanted, {{\"n\": 8}}", name_));
  }
  if (!twice.empty()) {
    throw UsageError(fmt::format("{}: the key '{}' stands twice in one object", name_,
                                 Shortened(twice, kLongestShown)));
  }
}

const Json* JsonData::Find(const std::string& key) const {
  const auto found = root_.find(key);
  return found == root_.end() ? nullptr : &*found;
}

std::int64_t JsonData::Number(const Json& json, const std::string& path) const {
  if (json.is_number_unsigned()) {
    const auto number = json.get<std::uint64_t>();
    if (number <= static_cast<std::uint64_t>(kLargestNumber)) {
      return static_cast<std::int64_t>(number);
    }
  } else if (json.is_number_integer()) {
    const auto number = json.get<std::int64_t>();
    if (number >= -kLargestNumber && number <= kLargestNumber) return number;
  }
  Fail(path, fmt::format("a whole number from -2^31 to 2^31 is wanted, not {}", Shown(json)));
}

bool JsonData::Truth(const Json& json, const std::string& path) const {
  if (json.is_boolean()) return json.get<bool>();
  Fail(path, fmt::format("true or false is wanted, not {}", Shown(json)));
}

std::string JsonData::Text(const Json& json, const std::string& path,
                           const std::string& what) const {
  if (json.is_string()) return json.get<std::string>();
  Fail(path, fmt::format("{} is wanted, a text, not {}", what, Shown(json)));
}

void JsonData::ExpectObject(const Json& json, const std::string& path,
                            const std::string& what) const {
  if (json.is_object()) return;
  Fail(path, fmt::format("an object is wanted, {}, not {}", what, Shown(json)));
}

void JsonData::ExpectList(const Json& json, const std::string& path) const {
  if (json.is_array()) return;
  Fail(path, fmt::format("a list is wanted, not {}", Shown(json)));
}

void JsonData::Fail(const std::string& path, const std::string& what) const {
  constexpr std::size_t kLongest = 400;
  const std::string said = Shortened(what, kLongest);
  throw UsageError(path.empty()
                       ? fmt::format("{}: {}", name_, said)
                       : fmt::format("{}: {}: {}", name_, Shortened(path, kLongest), said));
}

}  // namespace exh::load
