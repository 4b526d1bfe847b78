// SPDX-License-Identifier: MIT
//
// Checks of our own invariants. A failed check is a bug of ours: it prints where and aborts. Users'
// mistakes and expected outcomes never come here.
#pragma once

namespace exh {

[[noreturn]] void CheckFailed(const char* file, int line, const char* text);

}  // namespace exh

#define EXH_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::exh::CheckFailed(__FILE__, __LINE__, #condition))
#define EXH_UNREACHABLE() ::exh::CheckFailed(__FILE__, __LINE__, "unreachable")

#ifdef NDEBUG
#define EXH_DCHECK(condition) static_cast<void>(0)
#else
#define EXH_DCHECK(condition) EXH_CHECK(condition)
#endif
