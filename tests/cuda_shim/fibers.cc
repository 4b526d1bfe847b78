// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/fibers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace exh_shim {
namespace {

// Ten times the frame of unoptimised code with a thousand registers. Only the pages that are
// touched take memory.
constexpr std::size_t kStackBytes = std::size_t{1} << 18;
thread_local Fiber* running = nullptr;

std::size_t GuardBytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Fiber::Fiber()
    : memory_(::mmap(nullptr, GuardBytes() + kStackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  if (::mprotect(memory_, GuardBytes(), PROT_NONE) != 0 || ::getcontext(&inside_) != 0) {
    ::munmap(memory_, GuardBytes() + kStackBytes);
    throw std::bad_alloc();
  }
}

Fiber::~Fiber() {
  ::munmap(memory_, GuardBytes() + kStackBytes);
}

void Fiber::Start(void (*body)()) {
  body_ = body;
  inside_.uc_stack.ss_sp = static_cast<char*>(memory_) + GuardBytes();
  inside_.uc_stack.ss_size = kStackBytes;
  inside_.uc_link = &outside_;
  ::makecontext(&inside_, Enter, 0);
}

void Fiber::Enter() {
  running->body_();
}

void Fiber::Resume() {
  running = this;
  ::swapcontext(&outside_, &inside_);
}

void Fiber::Yield() {
  ::swapcontext(&running->inside_, &running->outside_);
}

}  // namespace exh_shim
