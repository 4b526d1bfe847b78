// SPDX-License-Identifier: MIT
//
// The lines of a log. Each ends with its number, the checksum of the line before it, and its own,
// which covers all of that (docs/log.md):
//
//   {"t":"eval", … ,"line":17,"after":"5c1d0b3e","crc":"e3069283"}
//
// So damage is seen within a line, and lines that are missing, doubled or swapped between them.
// Version 1 of the format has the last field alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "search/log/log_json.h"

namespace exh::search {

/// Where a log ends, for the next line to follow.
struct LogTail {
  std::size_t bytes = 0;    ///< Of whole lines, and of the last one when only its end is missing.
  bool ends_line = true;    ///< The last of these bytes is the end of a line.
  std::uint64_t lines = 0;  ///< Number of the last line.
  std::uint32_t checksum = 0;  ///< Of the last line; 0 before the first.
};

/// The record as text, without its closing brace.
std::string RecordText(const Json& record);
/// That text as the line that follows `tail`, with the end of the line; `tail` moves behind it.
std::string SealLine(std::string record_text, LogTail& tail);

/// A line whose checksum fits.
struct SealedLine {
  std::string_view record;  ///< The JSON object without its closing brace.
  std::uint32_t checksum = 0;
  // Nothing in a line of version 1.
  std::optional<std::uint64_t> number;
  std::uint32_t after = 0;  ///< The checksum of the line before it.
};

/// Nothing when the checksum does not fit. `line` has no end of a line, and outlives the result.
std::optional<SealedLine> Unseal(std::string_view line);

/// The line as it was, when a single bit of it has changed; nothing otherwise.
std::optional<std::string> MendBit(std::string_view line);

/// The object of a record that Unseal() found. Throws Json::exception, and Error for one that is
/// nested deeper than any record is.
Json ParseRecord(std::string_view record);

}  // namespace exh::search
