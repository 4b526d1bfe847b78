// SPDX-License-Identifier: MIT
#include "base/check.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace exh {
namespace {

thread_local const CheckGuard* guard_of_thread = nullptr;

}  // namespace

CheckGuard::CheckGuard() : unwinding_(std::uncaught_exceptions()), outer_(guard_of_thread) {
  guard_of_thread = this;
}

CheckGuard::~CheckGuard() {
  guard_of_thread = outer_;
}

void CheckFailed(const char* file, int line, const char* text) {
  const CheckGuard* const guard = guard_of_thread;
  if (guard != nullptr && std::uncaught_exceptions() == guard->unwinding_) {
    throw CheckFailure(std::string(file) + ":" + std::to_string(line) + ": check failed: " + text);
  }
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, text);
  std::abort();
}

}  // namespace exh
