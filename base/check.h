// SPDX-License-Identifier: MIT
//
// Checks of our own invariants. A failed check is a bug of ours: it prints where and aborts. Users'
// mistakes and expected outcomes never come here. Who can do without what is at work, such as a
// search that has other candidates, guards it.
#pragma once

#include <stdexcept>

namespace exh {

[[noreturn]] void CheckFailed(const char* file, int line, const char* text);

/// What a failed check throws where it is guarded: "file:line: check failed: condition".
class CheckFailure : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// As long as one lives, checks that fail on its thread throw CheckFailure instead of aborting.
/// They nest. A check that fails while the stack is unwound still aborts, for nobody could catch
/// that; and so does one below a function that is noexcept, with its text.
class CheckGuard {
 public:
  CheckGuard();
  ~CheckGuard();
  CheckGuard(const CheckGuard&) = delete;
  CheckGuard& operator=(const CheckGuard&) = delete;

 private:
  int unwinding_;  ///< Exceptions under way when this was made.
  const CheckGuard* outer_;
  friend void CheckFailed(const char* file, int line, const char* text);
};

}  // namespace exh

#define EXH_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::exh::CheckFailed(__FILE__, __LINE__, #condition))
#define EXH_UNREACHABLE() ::exh::CheckFailed(__FILE__, __LINE__, "unreachable")

#ifdef NDEBUG
#define EXH_DCHECK(condition) static_cast<void>(0)
#else
#define EXH_DCHECK(condition) EXH_CHECK(condition)
#endif
