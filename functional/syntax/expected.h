// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "dsl/editing/expected.h"
#include "dsl/source_range.h"

namespace exh::functional {

/// What could go on a `.fun` text that ends in the middle of something. A word that is begun is no
/// part of `text`.
dsl::Expected ExpectedBehind(std::string_view text);

/// Where reserved words stand in a `.fun` text. `file` of the ranges is 0.
std::vector<dsl::SourceRange> KeywordsOf(std::string_view text);

}  // namespace exh::functional
