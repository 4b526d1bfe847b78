// SPDX-License-Identifier: MIT
#include "base/data_file.h"

#include <algorithm>

#include "base/error.h"
#include "base/spelling.h"
#include "base/user_json.h"

namespace exh {
namespace {

/// A value as a message shows it.
std::string Shown(const nlohmann::json& json) {
  return Shortened(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), 30);
}

[[noreturn]] void Refuse(const DataValue& value, const std::string& wanted) {
  throw Error((value.place.empty() ? "the whole" : "'" + value.place + "'") + " must be " + wanted +
              ", not " + Shown(value.json));
}

std::string Inside(const DataValue& object, const std::string& key) {
  return object.place.empty() ? key : object.place + "." + key;
}

}  // namespace

nlohmann::json ParseData(const std::string& text) {
  try {
    return ParseUserJson(text);
  } catch (const Error& error) {
    throw Error(std::string("it is no JSON: ") + error.what());
  }
}

void CheckKeys(const DataValue& object, const std::vector<std::string>& needed,
               const std::vector<std::string>& optional) {
  std::vector<std::string> legal = needed;
  legal.insert(legal.end(), optional.begin(), optional.end());
  std::string names;
  for (const std::string& name : legal) names += (names.empty() ? "'" : ", '") + name + "'";
  if (!object.json.is_object()) Refuse(object, "an object with " + names);
  for (const auto& item : object.json.items()) {
    if (std::ranges::find(legal, item.key()) != legal.end()) continue;
    throw Error(UnknownName("key", Inside(object, item.key()), legal));
  }
  for (const std::string& name : needed) {
    if (!object.json.contains(name)) {
      throw Error("'" + Inside(object, name) + "' is missing; there must be " + names);
    }
  }
}

bool Has(const DataValue& object, const std::string& key) {
  return object.json.contains(key);
}

DataValue At(const DataValue& object, const std::string& key) {
  return {object.json.at(key), Inside(object, key)};
}

std::vector<DataValue> ListOf(const DataValue& value, std::size_t least, std::size_t most) {
  const std::string wanted =
      least == most ? "a list of " + std::to_string(least)
                    : "a list of " + std::to_string(least) + " to " + std::to_string(most);
  if (!value.json.is_array()) Refuse(value, wanted);
  if (value.json.size() < least || value.json.size() > most) {
    throw Error("'" + value.place + "' must be " + wanted + ", it has " +
                std::to_string(value.json.size()));
  }
  std::vector<DataValue> values;
  for (std::size_t i = 0; i < value.json.size(); ++i) {
    values.push_back({value.json[i], value.place + "[" + std::to_string(i) + "]"});
  }
  return values;
}

std::int64_t NumberOf(const DataValue& value, std::int64_t min, std::int64_t max) {
  const bool is_in_range = value.json.is_number_unsigned()
                               ? value.json.get<std::uint64_t>() <= static_cast<std::uint64_t>(max)
                               : value.json.is_number_integer();
  if (is_in_range) {
    const auto number = value.json.get<std::int64_t>();
    if (number >= min && number <= max) return number;
  }
  Refuse(value, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
}

std::string NameOf(const DataValue& value) {
  const std::string wanted = "a name without blanks, commas and parentheses";
  if (!value.json.is_string()) Refuse(value, wanted);
  const auto name = value.json.get<std::string>();
  if (name.empty() || name.find_first_of(" \t\n,()=") != std::string::npos) Refuse(value, wanted);
  return name;
}

}  // namespace exh
