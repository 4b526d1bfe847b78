// SPDX-License-Identifier: MIT
#include "base/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/error.h"

namespace exh {
namespace {

std::string ThreeDigits(double value) {
  if (value < 1) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

}  // namespace

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

std::optional<double> ParseReal(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (text.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  if (text.empty()) return pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.push_back(Trim(text.substr(0, end)));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::pair<std::string, std::string>> ParseAssignments(std::string_view text,
                                                                  std::string_view option) {
  std::vector<std::pair<std::string, std::string>> assignments;
  for (const std::string_view piece : Split(text, ',')) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw UsageError(fmt::format("bad {} '{}': '{}' is not name=value", option, text, piece));
    }
    assignments.emplace_back(Trim(piece.substr(0, equals)), Trim(piece.substr(equals + 1)));
  }
  return assignments;
}

std::optional<double> ParseTime(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  for (const auto& [unit, ns] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = ParseReal(text.substr(0, text.size() - unit.size()));
    return number ? std::optional(*number * ns) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ParseBytes(std::string_view text) {
  constexpr std::pair<std::string_view, int> kUnits[] = {
      {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  constexpr double kMost = 0x1p62;
  for (const auto& [unit, shift] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = ParseReal(text.substr(0, text.size() - unit.size()));
    if (!number) return std::nullopt;
    const double bytes = std::ldexp(*number, shift);
    if (bytes < 1 || bytes > kMost) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
  }
  return std::nullopt;
}

std::string FormatTime(double nanoseconds) {
  struct Unit {
    double size;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  for (const Unit& unit : kUnits) {
    if (nanoseconds >= unit.size || unit.size == 1) {
      return fmt::format("{} {}", ThreeDigits(nanoseconds / unit.size), unit.name);
    }
  }
  return {};
}

std::string FormatRate(double flops, double nanoseconds) {
  if (nanoseconds <= 0 || flops <= 0) return "-";
  return fmt::format("{} GFLOP/s", ThreeDigits(flops / nanoseconds));
}

}  // namespace exh
