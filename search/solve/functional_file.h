// SPDX-License-Identifier: MIT
//
// Functional programs (docs/functional.md) from a command line.
#pragma once

#include <string>

namespace exh::search {

/// The parameters and requirements of the program at `path` as `.exh`. `size`: the text of --size.
/// Throws UsageError with all messages when something is wrong.
std::string ConstraintsOf(const std::string& path, const std::string& size);

}  // namespace exh::search
