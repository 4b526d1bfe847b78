// SPDX-License-Identifier: MIT
#include "search/exchange/python/python_value.h"

#include <fmt/format.h>

#include <cmath>
#include <compare>
#include <optional>

namespace exh::search {
namespace {

constexpr std::int64_t kMostExact = std::int64_t{1} << 53;

/// A Boolean is a number in Python.
std::optional<std::int64_t> WholeOf(const PythonValue& value) {
  if (const bool* const truth = std::get_if<bool>(&value.held)) return *truth ? 1 : 0;
  if (value.is_whole()) return value.whole();
  return std::nullopt;
}

double FloatOf(const PythonValue& value) {
  if (const auto whole = WholeOf(value)) {
    if (*whole > kMostExact || *whole < -kMostExact) {
      throw PythonError(fmt::format("{} is too large for a float", *whole));
    }
    return static_cast<double>(*whole);
  }
  if (const double* const number = std::get_if<double>(&value.held)) return *number;
  throw PythonError(value.is_list() ? "a list is no number" : "a text is no number");
}

std::int64_t Fits(bool overflows, std::int64_t result) {
  if (overflows) throw PythonError("a number has more than 64 bits");
  return result;
}

[[noreturn]] void DividesByZero() {
  throw PythonError("it divides by 0");
}

std::int64_t FloorDivided(std::int64_t a, std::int64_t b) {
  if (b == 0) DividesByZero();
  if (b == -1) return Fits(a == INT64_MIN, a == INT64_MIN ? 0 : -a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::int64_t Rest(std::int64_t a, std::int64_t b) {
  if (b == 0) DividesByZero();
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::int64_t Power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (; exponent > 0 && base != 1; --exponent) {
    if (base == 0 || base == -1) return exponent % 2 == 0 && base == -1 ? result : base * result;
    const bool overflows = __builtin_mul_overflow(result, base, &result);
    Fits(overflows, result);
  }
  return result;
}

PythonValue OfWholes(std::int64_t a, std::string_view op, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = false;
  if (op == "+") {
    overflows = __builtin_add_overflow(a, b, &result);
  } else if (op == "-") {
    overflows = __builtin_sub_overflow(a, b, &result);
  } else if (op == "*") {
    overflows = __builtin_mul_overflow(a, b, &result);
  } else if (op == "//") {
    result = FloorDivided(a, b);
  } else if (op == "%") {
    result = Rest(a, b);
  } else {
    result = Power(a, b);
  }
  return {Fits(overflows, result)};
}

/// Quotient and rest as Python defines them: the rest has the sign of the divisor.
std::pair<double, double> FloatDivision(double a, double b) {
  if (b == 0) DividesByZero();
  double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest == 0) {
    rest = std::copysign(0.0, b);
  } else if ((rest < 0) != (b < 0)) {
    rest += b;
    quotient -= 1;
  }
  if (quotient == 0) return {std::copysign(0.0, a / b), rest};
  double floor = std::floor(quotient);
  if (quotient - floor > 0.5) floor += 1;
  return {floor, rest};
}

PythonValue OfFloats(double a, std::string_view op, double b) {
  if (op == "+") return {a + b};
  if (op == "-") return {a - b};
  if (op == "*") return {a * b};
  if (op == "//") return {FloatDivision(a, b).first};
  if (op == "%") return {FloatDivision(a, b).second};
  if (op == "/") {
    if (b == 0) DividesByZero();
    return {a / b};
  }
  if (a == 0 && b < 0) DividesByZero();
  const double power = std::pow(a, b);
  if (!std::isfinite(power)) throw PythonError("a power is no finite number");
  return {power};
}

/// Of whole numbers and floats exactly. Nothing: they cannot be compared.
std::optional<std::partial_ordering> Order(const PythonValue& a, const PythonValue& b) {
  if (a.is_text() != b.is_text() || a.is_list() != b.is_list()) return std::nullopt;
  if (a.is_text()) return std::get<std::string>(a.held) <=> std::get<std::string>(b.held);
  if (a.is_list()) {
    const PythonList &left = a.list(), &right = b.list();
    for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
      const auto order = Order(left[i], right[i]);
      if (!order || *order != std::partial_ordering::equivalent) return order;
    }
    return left.size() <=> right.size();
  }
  const auto left = WholeOf(a), right = WholeOf(b);
  if (left && right) return *left <=> *right;
  static_assert(sizeof(long double) > sizeof(double));  // Its 64 bits hold all whole numbers.
  const auto exact = [](const PythonValue& value) -> long double {
    const auto whole = WholeOf(value);
    return whole ? static_cast<long double>(*whole) : std::get<double>(value.held);
  };
  return exact(a) <=> exact(b);
}

bool AreEqual(const PythonValue& a, const PythonValue& b) {
  return Order(a, b) == std::partial_ordering::equivalent;
}

}  // namespace

PythonValue Calculated(const PythonValue& a, std::string_view op, const PythonValue& b) {
  if (op == "+" && a.is_list() && b.is_list()) {
    PythonList both = a.list();
    both.insert(both.end(), b.list().begin(), b.list().end());
    return {both};
  }
  const auto left = WholeOf(a), right = WholeOf(b);
  const bool leaves_wholes = op == "/" || (op == "**" && right && *right < 0);
  if (left && right && !leaves_wholes) return OfWholes(*left, op, *right);
  return OfFloats(FloatOf(a), op, FloatOf(b));
}

PythonValue Negated(const PythonValue& a) {
  if (const auto whole = WholeOf(a)) return OfWholes(0, "-", *whole);
  return {-FloatOf(a)};
}

bool Compared(const PythonValue& a, std::string_view op, const PythonValue& b) {
  if (op == "==") return AreEqual(a, b);
  if (op == "!=") return !AreEqual(a, b);
  if (op == "in" || op == "not in") {
    if (!b.is_list()) throw PythonError("what stands behind 'in' is no list");
    bool found = false;
    for (const PythonValue& one : b.list()) found = found || AreEqual(a, one);
    return found == (op == "in");
  }
  const auto order = Order(a, b);
  if (!order) throw PythonError("a text or a list is compared with something else");
  if (op == "<") return *order < 0;
  if (op == "<=") return *order <= 0;
  if (op == ">") return *order > 0;
  return *order >= 0;
}

bool IsTrue(const PythonValue& a) {
  if (a.is_text()) return !std::get<std::string>(a.held).empty();
  if (a.is_list()) return !a.list().empty();
  const auto whole = WholeOf(a);
  return whole ? *whole != 0 : std::get<double>(a.held) != 0;
}

bool AreSame(const PythonValue& a, const PythonValue& b) {
  return a.held.index() == b.held.index() && AreEqual(a, b);
}

Json JsonOf(const PythonValue& value) {
  if (!value.is_list()) {
    return std::visit(
        [](const auto& held) -> Json {
          if constexpr (std::is_same_v<std::decay_t<decltype(held)>, PythonList>)
            return {};
          else
            return held;
        },
        value.held);
  }
  Json list = Json::array();
  for (const PythonValue& one : value.list()) list.push_back(JsonOf(one));
  return list;
}

PythonValue PythonValueOf(const Json& json) {
  if (json.is_boolean()) return {json.get<bool>()};
  if (json.is_number_unsigned()) {
    const auto number = json.get<std::uint64_t>();
    if (number > INT64_MAX) throw UsageError(fmt::format("{} has more than 64 bits", number));
    return {static_cast<std::int64_t>(number)};
  }
  if (json.is_number_integer()) return {json.get<std::int64_t>()};
  if (json.is_number()) return {json.get<double>()};
  if (json.is_string()) return {json.get<std::string>()};
  if (!json.is_array()) {
    throw UsageError(fmt::format("{} is no number, text, Boolean or list", json.dump()));
  }
  PythonList list;
  for (const Json& one : json) list.push_back(PythonValueOf(one));
  return {list};
}

}  // namespace exh::search
