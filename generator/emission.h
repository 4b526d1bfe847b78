// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace exh::generator {

/// Which files `exhc build` writes.
struct Emission {
  bool cpp = true;      ///< .h, .schedule.h and .cc.
  bool filters = true;  ///< .filters.h; it includes the .h.
  bool ir = false;      ///< .ir.json: the checked space for tools (docs/ir.md).
  bool tables = false;  ///< .tables.txt: what the engine gets, for people (docs/ir.md).

  friend bool operator==(const Emission&, const Emission&) = default;
};

/// The words of ParseEmission.
const std::vector<std::string>& EmissionWords();

/// Reads a list like "ir,tables"; what it does not name is not written. On a word that is not one
/// of EmissionWords() returns false and sets `unknown` to it.
bool ParseEmission(std::string_view text, Emission* emission, std::string* unknown);

}  // namespace exh::generator
