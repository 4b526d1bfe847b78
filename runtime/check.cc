// SPDX-License-Identifier: MIT
#include "runtime/check.h"

#include <cstdio>
#include <cstdlib>

namespace exh::runtime::internal {

void CheckFailed(const char* file, int line, const char* text) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, text);
  std::abort();
}

}  // namespace exh::runtime::internal
