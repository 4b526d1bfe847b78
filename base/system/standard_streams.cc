// SPDX-License-Identifier: MIT
#include "base/system/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <streambuf>

namespace exh {
namespace {

/// A file descriptor that is written to as long as that works.
struct Sink {
  int file = -1;
  int error = 0;  ///< Why it no longer works.
};

Sink out{STDOUT_FILENO}, err{STDERR_FILENO};
std::FILE *forgiving_out = nullptr, *forgiving_err = nullptr;

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

/// std::cout, which option parsers print help with, takes the same way.
class ToStdout final : public std::streambuf {
  int overflow(int c) override { return c == EOF ? 0 : std::fputc(c, stdout); }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    return static_cast<std::streamsize>(
        std::fwrite(text, 1, static_cast<std::size_t>(size), stdout));
  }
  int sync() override { return std::fflush(stdout); }
};

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
  forgiving_out = Forgiving(out, ::isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF);
  forgiving_err = Forgiving(err, _IONBF);
  if (forgiving_out != nullptr) stdout = forgiving_out;
  if (forgiving_err != nullptr) stderr = forgiving_err;
  std::cout.rdbuf(new ToStdout);  // Never destroyed: it is flushed at the very end.
}

int FileNumber(std::FILE* stream) {
  if (stream != nullptr && stream == forgiving_out) return out.file;
  if (stream != nullptr && stream == forgiving_err) return err.file;
  return ::fileno(stream);
}

int FinishOutput(int code) {
  std::cout.flush();
  std::fflush(stdout);
  if (out.error == 0) return code;
  std::fprintf(stderr, "search: cannot write to the standard output: %s\n",
               std::strerror(out.error));
  return code == 0 ? 1 : code;
}

}  // namespace exh
