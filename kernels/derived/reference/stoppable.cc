// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/stoppable.h"

#include <atomic>

#include "base/parallel.h"

namespace exh::kernels {
namespace {

thread_local StoppableProducts* scope_of_thread = nullptr;

}  // namespace

StoppableProducts::StoppableProducts(const StopToken* stop)
    : stop_(stop), before_(scope_of_thread) {
  scope_of_thread = this;
}

StoppableProducts::~StoppableProducts() {
  scope_of_thread = before_;
}

bool IsOver() {
  StoppableProducts* const scope = scope_of_thread;
  if (scope == nullptr || !IsStopped(scope->stop_)) return false;
  scope->has_stopped_ = true;
  return true;
}

bool RunStoppable(std::size_t count, const std::function<void(std::size_t)>& work) {
  StoppableProducts* const scope = scope_of_thread;
  const StopToken* const stop = scope != nullptr ? scope->stop_ : nullptr;
  std::atomic<bool> has_stopped = false;
  RunInParallel(count, NumCores(), [&](std::size_t index) {
    if (IsStopped(stop)) {
      has_stopped = true;
      return false;
    }
    work(index);
    return true;
  });
  if (has_stopped) scope->has_stopped_ = true;
  return !has_stopped;
}

}  // namespace exh::kernels
