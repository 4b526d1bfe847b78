// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <chrono>
#include <optional>
#include <thread>

namespace exh::kernels::cuda::testing {

/// While it lives, what loses its parent comes to this process, which then sees how it ends.
class Orphanage {
 public:
  Orphanage() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Orphanage() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }
  Orphanage(const Orphanage&) = delete;
  Orphanage& operator=(const Orphanage&) = delete;
};

/// How a child ended, as waitpid tells it; nothing when it lived on for 20 s and had to be killed.
inline std::optional<int> AwaitEnd(pid_t pid) {
  for (int look = 0; look < 2000; ++look) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(pid, SIGKILL);
  return std::nullopt;
}

}  // namespace exh::kernels::cuda::testing
