// SPDX-License-Identifier: MIT
//
// Data files are JSON. These functions read one value each and throw exh::Error that names the
// place, `jobs[2][0].time`, what must stand there, and what does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace exh {

/// A value of the file, and where it stands.
struct DataValue {
  const nlohmann::json& json;
  std::string place;  ///< Empty: the whole file.
};

/// The file as a value. Throws for what is no JSON, with line and column.
nlohmann::json ParseData(const std::string& text);

/// The object has these keys and no others; each that is not optional is there.
void CheckKeys(const DataValue& object, const std::vector<std::string>& needed,
               const std::vector<std::string>& optional = {});
bool Has(const DataValue& object, const std::string& key);
/// A value of an object, which has the key.
DataValue At(const DataValue& object, const std::string& key);
/// The values of a list of `least` at least and `most` at most.
std::vector<DataValue> ListOf(const DataValue& value, std::size_t least, std::size_t most);
std::int64_t NumberOf(const DataValue& value, std::int64_t min, std::int64_t max);
/// A name of an object: no blanks, commas or parentheses.
std::string NameOf(const DataValue& value);

}  // namespace exh
