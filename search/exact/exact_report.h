// SPDX-License-Identifier: MIT
//
// An exact count from a command line: shown while it runs, ended by a signal or a budget, and said
// in words and as JSON. A count that did not come to its end is called a lower bound.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "runtime/candidate.h"
#include "search/exact/exact_count.h"
#include "search/exact/status_line.h"

namespace exh::search {

struct ExactRequest {
  std::function<bool()> interrupted;  ///< Ends it.
  double seconds = 0;                 ///< So does the time; 0: no limit.
  std::size_t max_cache_bytes = std::size_t{1} << 30;
};

/// "2GiB" for --cache; empty: the default. Throws UsageError.
std::size_t ParseCacheBytes(const std::string& text);

/// A counter that stops as the request says, and shows how far it is in the line.
ExactCounter MakeCounter(const runtime::Candidate& root, const ExactRequest& request,
                         StatusLine& line);

/// "12.3M nodes, 4.5M parts met again, 310k parts in 82 MiB".
std::string StatusText(const CountStatus& status);

/// What a person reads; `name` is that of the kernel or the space, `things` what is counted:
///   queens: 92 solutions, counted: 1044 nodes, 12 parts met again
std::string ExactText(std::string_view name, std::string_view things, const ExactCount& count,
                      const CountStatus& status);
/// {"implementations": "92", "complete": true, …}: a text of digits, for it may have many.
nlohmann::ordered_json ExactJson(std::string_view things, const ExactCount& count,
                                 const CountStatus& status);

}  // namespace exh::search
