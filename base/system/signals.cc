// SPDX-License-Identifier: MIT
#include "base/system/signals.h"

#include <cerrno>
#include <csignal>

namespace exh {
namespace {

std::atomic<bool> interrupted = false;
std::atomic<int> first_signal = 0;
static_assert(std::atomic<bool>::is_always_lock_free);  // Or a handler could not store to it.
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void OnInterrupt(int signal) {
  const int saved = errno;
  int none = 0;
  if (first_signal.compare_exchange_strong(none, signal)) {
    interrupted.store(true, std::memory_order_relaxed);
  } else if (signal != SIGHUP || first_signal != SIGHUP) {
    // As if nobody had listened: it comes again when this returns, and kills. What was started ends
    // with this process (process_tree.h). A terminal that is closed may say so twice.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  errno = saved;
}

}  // namespace

const std::atomic<bool>& ListenForSignals() {
  struct sigaction action {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&action.sa_mask, signal);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // Not below nohup.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  return interrupted;
}

bool WasInterrupted() {
  return interrupted.load(std::memory_order_relaxed);
}

}  // namespace exh
