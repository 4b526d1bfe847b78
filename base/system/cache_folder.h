// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace exh {

/// The user's folder for what can be made again: $XDG_CACHE_HOME/exhaust/<part>, or the same in
/// ~/.cache. It need not be there. Empty when the environment names neither.
std::string CacheFolder(const std::string& part);

}  // namespace exh
