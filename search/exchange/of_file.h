// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/error.h"

namespace exh::search {

/// What `make` returns. The mistakes that it finds (UsageError) have the name of the file before
/// them.
template <typename Make>
auto OfFile(const std::string& path, const Make& make) {
  try {
    return make();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace exh::search
