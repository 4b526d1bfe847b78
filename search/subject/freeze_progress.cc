// SPDX-License-Identifier: MIT
#include "search/subject/freeze_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/system/signals.h"
#include "base/system/standard_streams.h"

namespace exh::search {
namespace {

constexpr double kSilence = 2;        // Seconds: nobody asks before.
constexpr double kWorthSaying = 1;    // Seconds that are expected: said at once.
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
    if (progress.seconds < kSilence && progress.expected_s < kWorthSaying) return;
    if (!is_terminal_ && shown_ && progress.seconds - last_ < kBetweenLines) return;
    const std::string of =
        progress.expected_s > 0 ? fmt::format(" of about {:.0f} s", WholeSeconds(progress)) : "";
    const std::string text =
        fmt::format("the space is being built: {:.0f} %, {}, {:.0f} s{}", 100 * progress.share,
                    progress.phase, progress.seconds, of);
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
    const bool by_signal = WasInterrupted();
    if (by_signal || IsStopped(stop)) throw Interrupted(EndedText(progress, by_signal));
    return true;
  };
  return options;
}

runtime::FreezeOptions ShownFreeze(const StopToken* stop, std::FILE* out) {
  return ShownFreeze(stop, out, ::isatty(FileNumber(out)) == 1);
}

runtime::FreezeOptions FreezeWithin(const Allowance& allowance) {
  runtime::FreezeOptions options = ShownFreeze(allowance.stop);
  options.max_bytes = allowance.bytes;
  return options;
}

double WholeSeconds(const runtime::FreezeProgress& progress) {
  // What was expected of the sizes is replaced by what is seen.
  constexpr double kMuch = 0.2;
  const double seen = progress.share > 0 ? progress.seconds / progress.share : 0;
  if (progress.expected_s <= 0) return std::max(progress.seconds, seen);
  const double part = std::min(1.0, progress.share / kMuch);
  return std::max(progress.seconds, (1 - part) * progress.expected_s + part * seen);
}

std::string EndedText(const runtime::FreezeProgress& progress, bool by_signal) {
  if (by_signal) {
    return fmt::format("interrupted while the space was built, after {:.1f} s", progress.seconds);
  }
  constexpr double kLeast = 10;  // Seconds, of which budgets are multiples.
  const double whole = WholeSeconds(progress);
  const double enough = kLeast * std::ceil(std::max(2 * whole, whole + kLeast) / kLeast);
  return fmt::format(
      "the budget was over while the space was built, before anything was tried: {:.0f} % of it "
      "was "
      "done in {:.1f} s, and all of it takes about {:.0f} s; --budget {:.0f}s leaves time for a "
      "search",
      100 * progress.share, progress.seconds, whole, enough);
}

}  // namespace exh::search
