// SPDX-License-Identifier: MIT
#pragma once

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace exh_shim {

/// Where a function stopped. A kernel changes fibers millions of times: on x86-64 that is a few
/// instructions of ours, for swapcontext calls the system each time.
#if defined(__x86_64__)
using Context = void*;  // Its stack pointer; what else it needs lies on its stack.
#else
using Context = ucontext_t;
#endif

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
  /// Runs it until it yields or `body` returns, which throws nothing.
  void Resume();
  /// Back to the Resume of the fiber that runs.
  static void Yield();

 private:
  static void Enter();

  char* memory_;  ///< A guard page, then the stack.
  void (*body_)() = nullptr;
  Context inside_, outside_;
};

}  // namespace exh_shim
