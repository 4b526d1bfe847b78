// SPDX-License-Identifier: MIT
//
// A data file: one JSON object, and messages that say where in it something is wrong.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace exh::load {

/// Keys stay in the order of the text.
using Json = nlohmann::ordered_json;

/// A path is "Tasks[0].time". What is not as it should be is thrown as a UsageError with the name
/// of the data and the path.
class JsonData {
 public:
  /// An empty text is an object without keys. A key that stands twice in an object is a mistake.
  JsonData(const std::string& text, std::string name);

  const Json& root() const { return root_; }
  /// Null when the root has no such key.
  const Json* Find(const std::string& key) const;

  /// A whole number from -2^31 to 2^31.
  std::int64_t Number(const Json& json, const std::string& path) const;
  bool Truth(const Json& json, const std::string& path) const;
  /// `what` it would be: "the name of an object".
  std::string Text(const Json& json, const std::string& path, const std::string& what) const;
  void ExpectObject(const Json& json, const std::string& path, const std::string& what) const;
  /// Calls visit(item, path) for each item of a list.
  template <typename Visit>
  void ForEach(const Json& json, const std::string& path, const Visit& visit) const {
    ExpectList(json, path);
    std::size_t number = 0;
    for (const Json& item : json) {
      visit(item, path + "[" + std::to_string(number++) + "]");
    }
  }

  [[noreturn]] void Fail(const std::string& path, const std::string& what) const;

 private:
  void ExpectList(const Json& json, const std::string& path) const;

  std::string name_;
  Json root_;
};

}  // namespace exh::load
