// SPDX-License-Identifier: MIT
#include "search/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>

namespace exh::search {
namespace {

/// A file descriptor that is written to as long as that works.
struct Sink {
  int file = -1;
  int error = 0;  ///< Why it no longer works.
};

Sink out{STDOUT_FILENO}, err{STDERR_FILENO};
std::FILE *forgiving_out = nullptr, *forgiving_err = nullptr;
std::FILE* first_out = nullptr;  ///< As the program was started with; std::cout uses it.

ssize_t WriteTo(void* cookie, const char* text, std::size_t size) {
  Sink& sink = *static_cast<Sink*>(cookie);
  std::size_t done = 0;
  while (sink.error == 0 && done < size) {
    const ssize_t n = ::write(sink.file, text + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) sink.error = errno;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return static_cast<ssize_t>(size);  // Dropped or not.
}

std::FILE* Forgiving(Sink& sink, int buffering) {
  cookie_io_functions_t functions{};
  functions.write = WriteTo;
  std::FILE* const stream = ::fopencookie(&sink, "w", functions);
  if (stream != nullptr) std::setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

}  // namespace

void OpenStandardFiles() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(file, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free: those below are open by now.
    [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);
  }
}

void ForgiveOutput() {
  if (forgiving_out != nullptr) return;
  first_out = stdout;
  forgiving_out = Forgiving(out, ::isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF);
  forgiving_err = Forgiving(err, _IONBF);
  if (forgiving_out != nullptr) stdout = forgiving_out;
  if (forgiving_err != nullptr) stderr = forgiving_err;
}

int FileNumber(std::FILE* stream) {
  if (stream != nullptr && stream == forgiving_out) return out.file;
  if (stream != nullptr && stream == forgiving_err) return err.file;
  return ::fileno(stream);
}

int FinishOutput(int code) {
  std::cout.flush();
  errno = 0;
  if (first_out != nullptr && (std::fflush(first_out) != 0 || std::ferror(first_out) != 0) &&
      out.error == 0) {
    out.error = errno == 0 ? EIO : errno;
  }
  std::fflush(stdout);
  if (out.error == 0) return code;
  std::fprintf(stderr, "search: cannot write to the standard output: %s\n",
               std::strerror(out.error));
  return code == 0 ? 1 : code;
}

}  // namespace exh::search
