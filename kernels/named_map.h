// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

namespace exh::kernels {

/// A map by name whose at() says which names there are when it has none of that one. `What` has a
/// static text kWhat, what an entry is: "size", "array".
template <typename What, typename T>
class NamedMap : public std::map<std::string, T, std::less<>> {
  using Base = std::map<std::string, T, std::less<>>;

 public:
  using Base::Base;

  /// Throws Error.
  T& at(std::string_view name) { return Find(*this, name)->second; }
  const T& at(std::string_view name) const { return Find(*this, name)->second; }

 private:
  template <typename Map>
  static auto Find(Map& map, std::string_view name) {
    const auto found = map.find(name);
    if (found != map.end()) return found;
    std::string names;
    for (const auto& [other, value] : map) names += (names.empty() ? "" : ", ") + other;
    throw Error("there is no " + std::string(What::kWhat) + " '" + std::string(name) + "'; " +
                (names.empty() ? "there are none" : "there are: " + names));
  }
};

}  // namespace exh::kernels
