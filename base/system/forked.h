// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/stop.h"

namespace exh {

/// What came of work in a copy of this process.
struct ForkedResult {
  enum class Status : std::uint8_t {
    kDone,        ///< `text` is what the work returned.
    kThrew,       ///< `text` is what the exception says.
    kTimedOut,    ///< It was killed.
    kStopped,     ///< It was killed because of the token.
    kDied,        ///< `text` says of what.
    kNotStarted,  ///< `text` says why.
  };
  Status status = Status::kNotStarted;
  std::string text;
};

/// Calls `work` in a copy of this process and waits: for what may go on for ever and cannot be
/// asked to end, such as a call of a library. The copy has one thread, the one that calls this, and
/// is gone when this returns, as well as when this process dies. Nothing that `work` changes is
/// seen here but the text that it returns. It must not wait for other threads, nor write to what
/// this process has open. The copy may take `timeout_s` seconds; it is killed within 50 ms of a
/// stop. Safe to call from many threads.
ForkedResult RunForked(const std::function<std::string()>& work, double timeout_s,
                       const StopToken* stop);

}  // namespace exh
