// SPDX-License-Identifier: MIT
#include "search/exact/status_line.h"

#include <unistd.h>

#include <utility>

#include "base/system/standard_streams.h"

namespace exh::search {
namespace {

constexpr double kSilence = 2;  // Seconds: nobody asks before.
constexpr double kBetweenLive = 0.5, kBetweenLines = 10;

}  // namespace

StatusLine::StatusLine(Clock clock, std::FILE* out)
    : StatusLine(std::move(clock), out, ::isatty(FileNumber(out)) == 1) {}

StatusLine::StatusLine(Clock clock, std::FILE* out, bool is_terminal)
    : clock_(std::move(clock)),
      out_(out),
      is_terminal_(is_terminal),
      begin_(clock_()),
      next_(begin_ + kSilence) {}

bool StatusLine::IsDue() const {
  return clock_() >= next_;
}

void StatusLine::Show(const std::string& text) {
  // Nobody may be there to read; the work goes on.
  std::fputs((is_terminal_ ? "\r\033[K" + text : text + "\n").c_str(), out_);
  std::fflush(out_);
  shown_ = true;
  next_ = clock_() + (is_terminal_ ? kBetweenLive : kBetweenLines);
}

void StatusLine::Clear() {
  if (!is_terminal_ || !std::exchange(shown_, false)) return;
  std::fputs("\r\033[K", out_);
  std::fflush(out_);
}

}  // namespace exh::search
