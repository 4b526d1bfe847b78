// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace exh::generator {

/// "dim_kind" -> "DimKind".
std::string CamelCase(std::string_view name);
/// "TileDims" -> "tile_dims".
std::string SnakeCase(std::string_view name);
/// A legal C++ identifier: keywords and names that standard headers define as macros get a `_`, and
/// so does a leading digit (in front).
std::string Identifier(std::string_view name);
/// A C++ string literal.
std::string Quoted(std::string_view text);

/// The names of one C++ scope. The first to ask gets its name as it is; who asks later for a name
/// that is taken gets `_2`, `_3`, … in the order of asking, so names follow the source's order.
class NameScope {
 public:
  /// Takes a name without renaming it.
  void Reserve(std::string_view name) { taken_.emplace(name); }
  bool IsTaken(const std::string& name) const { return taken_.contains(name); }
  /// `Identifier(name)`, made different from all others of the scope.
  std::string Unique(std::string_view name);

 private:
  std::set<std::string> taken_;
};

}  // namespace exh::generator
