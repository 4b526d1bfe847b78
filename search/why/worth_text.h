// SPDX-License-Identifier: MIT
//
// What decisions are worth, in words and as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/instance.h"
#include "search/why/worth.h"

namespace exh::search {

/// In lines, the most valuable decisions first, at most so many of them:
///
///   each alone with another value, the rest kept as far as it agrees
///     2.31x  dim_kind(mad.n2)=VECTOR     UNROLL 2.31x, LOOP 3.90x; 2 decisions follow
///     …
std::string WorthsText(const Worths& worths, const runtime::Instance& instance,
                       std::size_t most_lines);

/// As JSON of one line: {"record":17,"best_ns":…,"noise":…,"decisions":[{"name":…,"value":…,
/// "worth":…,"others":[{"value":…,"ratio":…,"verdict":…,"follows":…}]}],"steps":[…],"again":…}
/// (docs/log.md). `record`: the number of the implementation in its log.
std::string WorthsJson(const Worths& worths, const runtime::Instance& instance,
                       std::uint64_t record);

}  // namespace exh::search
