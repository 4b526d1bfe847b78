// SPDX-License-Identifier: MIT
#include "base/system/stack_limit.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

namespace exh {

std::string EnsureStack() {
  constexpr rlim_t kUsual = rlim_t{8} << 20, kLeast = rlim_t{1} << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kUsual) return "";
  limit.rlim_cur = std::min(limit.rlim_max, kUsual);
  ::setrlimit(RLIMIT_STACK, &limit);
  if (limit.rlim_cur < kLeast) {
    return "the stack may have " + std::to_string(limit.rlim_cur >> 10) +
           " KiB (ulimit -s): at least " + std::to_string(kLeast >> 10) + " are needed, and " +
           std::to_string(kUsual >> 10) + " are usual";
  }
  // Threads have what the limit was when the program began.
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_setstacksize(&attributes, static_cast<std::size_t>(limit.rlim_cur));
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
  return "";
}

}  // namespace exh
