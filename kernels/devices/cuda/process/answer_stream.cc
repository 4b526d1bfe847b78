// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/process/answer_stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace exh::kernels::cuda {

AnswerStream::AnswerStream() : fd_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

bool AnswerStream::Write(const std::string& line) const {
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t n = ::write(fd_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace exh::kernels::cuda
