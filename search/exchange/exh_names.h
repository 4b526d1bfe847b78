// SPDX-License-Identifier: MIT
//
// Names of other tools in a `.exh`, which has rules for its own: a choice is written in lower case,
// a value in upper case. What something was called stands in its doc comment, in a line of its own:
//
//   /// as: BLOCK_SIZE_X
//   choice integer block_size_x(): 16 | 32 end
//   /// as: precision
//   choice enum precision():
//     /// as: "half"
//     value HALF:
//   end
//
// Behind `as:` a choice has the name as it is, a value one of JSON: a text, a number, true or
// false.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/spec.h"
#include "search/exchange/python/python_value.h"

namespace exh::search {

/// Names of choices and values that a `.exh` may have, each once.
class ExhNames {
 public:
  /// "BLOCK SIZE" becomes `block_size`; of a second one `block_size_2`. `is_enum`: there is a C++
  /// type of it, which has a name without '_'.
  std::string ChoiceName(std::string_view name, bool is_enum);
  /// "half" becomes `HALF`, 0.5 `V0_5`, -1 `MINUS_1`. `taken` are those of the same choice.
  static std::string ValueName(const PythonValue& value, std::set<std::string>& taken);

 private:
  std::set<std::string> taken_, types_;
};

/// What the choices of a space are called elsewhere.
struct OriginalNames {
  /// Of a choice without `as:` its own name.
  std::map<std::string, std::string, std::less<>> choices;
  /// By choice and value; numbers of integer choices are what they are and do not stand here.
  std::map<std::string, std::map<std::string, Json, std::less<>>, std::less<>> values;
};

/// Reads them from the doc comments. Throws UsageError when two choices have the same name, or two
/// values of one choice.
OriginalNames OriginalNamesOf(const dsl::Spec& spec);

/// The lines of a doc comment that say it.
std::string AsLine(std::string_view name);
std::string AsLine(const PythonValue& value);

}  // namespace exh::search
