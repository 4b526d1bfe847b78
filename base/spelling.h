// SPDX-License-Identifier: MIT
//
// What somebody wrote, in messages: which of the names that exist was meant, and texts that are too
// long to be shown.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace exh {

/// Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t EditDistance(std::string_view a, std::string_view b);

/// The legal name that is nearest to what was written; nothing when none is near enough to be
/// meant. Letter case counts less than letters. Among equals the first wins.
std::optional<std::string> NearestName(std::string_view written,
                                       std::span<const std::string> legal);

/// `; did you mean 'x'?` for the candidate nearest to `name`, or nothing when none is near. A
/// difference in letter case alone is always near.
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates);

/// `unknown kernel 'matmull'; did you mean 'matmul'?`, or the list of legal names when none is near
/// and there are few of them.
std::string UnknownName(std::string_view what, std::string_view written,
                        const std::vector<std::string>& legal);

/// At most about `most` bytes of a text, and how many are left out: what a message shows of what
/// somebody wrote has an end. Characters of UTF-8 stay whole.
std::string Shortened(std::string_view text, std::size_t most);
/// The same for each line of it.
std::string ShortLines(std::string_view text, std::size_t most);

}  // namespace exh
