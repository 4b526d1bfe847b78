// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>

namespace exh::generator {

[[noreturn]] inline void CheckFailed(const char* file, int line, const char* text) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, text);
  std::abort();
}

}  // namespace exh::generator

/// Our own bug (a Spec that breaks its promises): say where and stop. Never for a user's mistake.
#define EXH_GENERATOR_CHECK(condition) \
  ((condition) ? static_cast<void>(0)  \
               : ::exh::generator::CheckFailed(__FILE__, __LINE__, #condition))
#define EXH_GENERATOR_UNREACHABLE() ::exh::generator::CheckFailed(__FILE__, __LINE__, "unreachable")
