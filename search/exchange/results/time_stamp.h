// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace exh::search {

/// Microseconds since 1970, UTC, of "2026-01-31T12:00:00.5Z" or "2026-01-31 12:00:00+01:00";
/// without a zone it is UTC. Nothing: it is no time of day.
std::optional<std::int64_t> ParseTimeStamp(std::string_view text);

/// "2026-01-31T12:00:00.500000Z"; whole seconds without a fraction.
std::string TimeStampText(std::int64_t microseconds);

}  // namespace exh::search
