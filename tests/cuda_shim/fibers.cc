// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/fibers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__x86_64__)
// Stores the stack pointer to *from and goes on at `to`. The registers that a call may not change
// lie below the return address.
extern "C" void exh_shim_switch(void** from, void* to);
asm(R"(
.text
.local exh_shim_switch
.type exh_shim_switch, @function
exh_shim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size exh_shim_switch, . - exh_shim_switch
)");
#endif

namespace exh_shim {
namespace {

// Ten times the frame of a kernel with a thousand registers. Only the pages that are touched take
// memory.
constexpr std::size_t kStackBytes = std::size_t{1} << 18;
thread_local Fiber* running = nullptr;

std::size_t GuardBytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

#if defined(__x86_64__)

void Prepare(Context& context, char* stack, void (*entry)()) {
  // As exh_shim_switch left it: six registers, the return address, and, at the end of the stack,
  // the word where `entry` would find its own, so that its frame is aligned as after a call.
  auto* const words = reinterpret_cast<std::uintptr_t*>(stack + kStackBytes) - 8;
  for (int i = 0; i < 8; ++i) words[i] = 0;
  words[6] = reinterpret_cast<std::uintptr_t>(entry);
  context = words;
}

void Switch(Context& from, Context& to) {
  exh_shim_switch(&from, to);
}

#else

void Prepare(Context& context, char* stack, void (*entry)()) {
  if (::getcontext(&context) != 0) std::abort();
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = kStackBytes;
  context.uc_link = nullptr;
  ::makecontext(&context, entry, 0);
}

void Switch(Context& from, Context& to) {
  if (::swapcontext(&from, &to) != 0) std::abort();
}

#endif

}  // namespace

Fiber::Fiber()
    : memory_(static_cast<char*>(::mmap(nullptr, GuardBytes() + kStackBytes, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  if (::mprotect(memory_, GuardBytes(), PROT_NONE) == 0) return;
  ::munmap(memory_, GuardBytes() + kStackBytes);
  throw std::bad_alloc();
}

Fiber::~Fiber() {
  ::munmap(memory_, GuardBytes() + kStackBytes);
}

void Fiber::Start(void (*body)()) {
  body_ = body;
  Prepare(inside_, memory_ + GuardBytes(), Enter);
}

void Fiber::Enter() {
  running->body_();
  Yield();
  std::abort();  // Nobody resumes a fiber that has ended.
}

void Fiber::Resume() {
  running = this;
  Switch(outside_, inside_);
}

void Fiber::Yield() {
  Switch(running->inside_, running->outside_);
}

}  // namespace exh_shim
