// SPDX-License-Identifier: MIT
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace exh_shim {

/// A function that can stop in the middle and go on later, on a stack of its own. It stays on the
/// host thread that made it. Abandoned fibers run no destructors.
class Fiber {
 public:
  Fiber();  ///< Throws std::bad_alloc where there is no memory for its stack.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Begins anew: the next Resume calls `body`. What it did before is abandoned.
  void Start(void (*body)());
  /// Runs it until it yields or `body` returns.
  void Resume();
  /// Back to the Resume of the fiber that runs.
  static void Yield();

 private:
  static void Enter();

  void* memory_;  ///< A guard page, then the stack.
  void (*body_)() = nullptr;
  ucontext_t inside_, outside_;
};

}  // namespace exh_shim
