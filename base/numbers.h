// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace exh {

/// The whole text as a decimal integer, or nothing (also when it does not fit 64 bits).
std::optional<std::int64_t> ParseInteger(std::string_view text);

/// The whole text as a finite decimal number, or nothing.
std::optional<double> ParseReal(std::string_view text);

/// Without blanks at both ends.
std::string_view Trim(std::string_view text);

/// Pieces between separators, trimmed; empty pieces stay, an empty text has none.
std::vector<std::string_view> Split(std::string_view text, char separator);

/// `m=512,n=512` as pairs in the order written. Throws UsageError naming the piece without a `=`.
std::vector<std::pair<std::string, std::string>> ParseAssignments(std::string_view text,
                                                                  std::string_view option);

/// `12us`, `1.5ms`: nanoseconds, or nothing without one of the units ns, us, ms, s.
std::optional<double> ParseTime(std::string_view text);

/// `512MiB`, `4GiB`: bytes, or nothing without one of the units KiB, MiB, GiB, TiB.
std::optional<std::uint64_t> ParseBytes(std::string_view text);

/// "1.74 us", "82.1 ms": three digits and the unit that fits.
std::string FormatTime(double nanoseconds);

/// "12.3 GFLOP/s"; "-" without a time.
std::string FormatRate(double flops, double nanoseconds);

}  // namespace exh
