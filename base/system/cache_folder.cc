// SPDX-License-Identifier: MIT
#include "base/system/cache_folder.h"

#include <cstdlib>

namespace exh {

std::string CacheFolder(const std::string& part) {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/exhaust/" + part;
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/exhaust/" + part : "";
}

}  // namespace exh
