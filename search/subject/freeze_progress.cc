// SPDX-License-Identifier: MIT
#include "search/subject/freeze_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/system/signals.h"
#include "base/system/standard_streams.h"

namespace exh::search {
namespace {

constexpr double kSilence = 2;        // Seconds: nobody asks before.
constexpr double kBetweenLines = 10;  // Seconds, where each line stays.

class FreezeLine {
 public:
  FreezeLine(std::FILE* out, bool is_terminal) : out_(out), is_terminal_(is_terminal) {}
  ~FreezeLine() {
    if (is_terminal_ && shown_) Write("\r\033[K");
  }
  FreezeLine(const FreezeLine&) = delete;
  FreezeLine& operator=(const FreezeLine&) = delete;

  void Show(const runtime::FreezeProgress& progress) {
    if (progress.seconds < kSilence) return;
    if (!is_terminal_ && shown_ && progress.seconds - last_ < kBetweenLines) return;
    const std::string text = fmt::format("the space is being built: {:.0f} %, {}, {:.0f} s",
                                         100 * progress.share, progress.phase, progress.seconds);
    Write(is_terminal_ ? "\r\033[K" + text : text + "\n");
    shown_ = true;
    last_ = progress.seconds;
  }

 private:
  /// Nobody may be there to read; the run goes on.
  void Write(const std::string& text) {
    std::fputs(text.c_str(), out_);
    std::fflush(out_);
  }

  std::FILE* const out_;
  const bool is_terminal_;
  bool shown_ = false;
  double last_ = 0;
};

}  // namespace

runtime::FreezeOptions ShownFreeze(const StopToken* stop, std::FILE* out, bool is_terminal) {
  runtime::FreezeOptions options;
  const auto line = std::make_shared<FreezeLine>(out, is_terminal);
  options.progress = [line, stop](const runtime::FreezeProgress& progress) {
    line->Show(progress);
    return !WasInterrupted() && (stop == nullptr || !stop->stopped());
  };
  return options;
}

runtime::FreezeOptions ShownFreeze(const StopToken* stop, std::FILE* out) {
  return ShownFreeze(stop, out, ::isatty(FileNumber(out)) == 1);
}

}  // namespace exh::search
