// SPDX-License-Identifier: MIT
//
// Values of the Python texts that tuning problems are written with, and what Python calculates with
// them. Whole numbers have 64 bits: what does not fit is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "search/log/log_json.h"

namespace exh::search {

struct PythonValue;
using PythonList = std::vector<PythonValue>;

/// A whole number, a float, a Boolean, a text or a list.
struct PythonValue {
  std::variant<std::int64_t, double, bool, std::string, PythonList> held;

  bool is_whole() const { return std::holds_alternative<std::int64_t>(held); }
  bool is_text() const { return std::holds_alternative<std::string>(held); }
  bool is_list() const { return std::holds_alternative<PythonList>(held); }
  std::int64_t whole() const { return std::get<std::int64_t>(held); }
  const PythonList& list() const { return std::get<PythonList>(held); }
};

/// Python would raise an error: a division by zero, a text where a number is meant, a number that
/// is too large.
class PythonError : public Error {
 public:
  using Error::Error;
};

/// `a + b`, and `-`, `*`, `/`, `//`, `%`, `**`. Throws PythonError.
PythonValue Calculated(const PythonValue& a, std::string_view op, const PythonValue& b);
/// `-a`. Throws PythonError.
PythonValue Negated(const PythonValue& a);
/// `a < b`, and `<=`, `>`, `>=`, `==`, `!=`, `in`, `not in`. Throws PythonError.
bool Compared(const PythonValue& a, std::string_view op, const PythonValue& b);
/// What `if a` asks.
bool IsTrue(const PythonValue& a);
/// Whether two values are the same one: 1, 1.0 and True are three.
bool AreSame(const PythonValue& a, const PythonValue& b);

/// As JSON has it: "abc", 0.5, -1, true.
Json JsonOf(const PythonValue& value);
/// The same the other way round. Throws UsageError for null and objects.
PythonValue PythonValueOf(const Json& json);

}  // namespace exh::search
