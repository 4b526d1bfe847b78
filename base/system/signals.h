// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

namespace exh {

/// From now on the first SIGINT, SIGTERM or SIGHUP raises the flag that is returned, so that the
/// run ends cleanly, and the next one kills the program as if nobody had listened. A SIGHUP that
/// was ignored before (nohup) stays so. Files that refuse to grow and closed pipes become errors of
/// the write instead of killing the program.
const std::atomic<bool>& ListenForSignals();

/// A signal has come since somebody listens.
bool WasInterrupted();

}  // namespace exh
