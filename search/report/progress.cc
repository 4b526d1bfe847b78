// SPDX-License-Identifier: MIT
#include "search/report/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "base/system/standard_streams.h"

namespace exh::search {
namespace {

constexpr double kLiveSeconds = 0.2;
constexpr double kPlainSeconds = 10;
/// Columns of the sparkline, and of a terminal that has place for it.
constexpr std::size_t kSparkline = 12, kLeastColumns = 79;

std::size_t TerminalWidth(std::FILE* out) {
  winsize size{};
  if (::ioctl(FileNumber(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

std::uint64_t& VerdictCounts::operator[](kernels::Verdict verdict) {
  switch (verdict) {
    case kernels::Verdict::kCorrect:
      return correct;
    case kernels::Verdict::kWrong:
      return wrong;
    case kernels::Verdict::kCompileError:
      return compile_error;
    case kernels::Verdict::kCompileTimeout:
      return compile_timeout;
    case kernels::Verdict::kSpills:
      return spills;
    case kernels::Verdict::kCrash:
      return crash;
    case kernels::Verdict::kTimeout:
      return timeout;
    case kernels::Verdict::kSlow:
      return slow;
    case kernels::Verdict::kImpossible:
      return impossible;
    case kernels::Verdict::kUnchecked:
      return unchecked;
    case kernels::Verdict::kIdle:
      return idle;
    case kernels::Verdict::kRefused:
      return refused;
    case kernels::Verdict::kInternal:
      return internal;
    case kernels::Verdict::kBroken:
    case kernels::Verdict::kStopped:
      break;
  }
  return broken;
}

std::string StatusText(const Status& status) {
  const VerdictCounts& verdicts = status.verdicts;
  const double rate =
      status.elapsed > 0 ? static_cast<double>(status.evaluations) / status.elapsed : 0;
  std::string text = fmt::format("{:6.1f}s", status.elapsed);
  text += status.best_ns > 0 ? fmt::format("  best {} {}", FormatTime(status.best_ns),
                                           FormatRate(status.flops, status.best_ns))
                             : std::string("  best -");
  if (status.bound_ns > 0) {
    text += fmt::format("  bound {}", FormatTime(status.bound_ns));
    if (status.best_ns > 0) {
      text += fmt::format("  gap {:.0f}%", 100 * (1 - status.bound_ns / status.best_ns));
    }
    text += fmt::format("  pruned {}", status.pruned);
  }
  if (status.violations > 0) text += fmt::format("  BOUND WRONG {}", status.violations);
  text +=
      fmt::format("  eval {} ({:.1f}/s)  dead-ends {}", status.evaluations, rate, status.dead_ends);
  text += fmt::format("  fail compile {} wrong {} crash {} timeout {}",
                      verdicts.compile_error + verdicts.compile_timeout, verdicts.wrong,
                      verdicts.crash, verdicts.timeout);
  if (verdicts.idle > 0) text += fmt::format(" idle {}", verdicts.idle);
  if (verdicts.spills > 0) text += fmt::format(" spills {}", verdicts.spills);
  if (verdicts.refused > 0) text += fmt::format(" refused {}", verdicts.refused);
  if (verdicts.internal > 0) text += fmt::format(" internal {}", verdicts.internal);
  if (verdicts.broken > 0) text += fmt::format(" broken {}", verdicts.broken);
  return text;
}

ProgressMode ParseProgress(std::string_view text, std::FILE* out) {
  if (text == "auto") return ::isatty(FileNumber(out)) ? ProgressMode::kLive : ProgressMode::kPlain;
  if (text == "plain") return ProgressMode::kPlain;
  if (text == "none") return ProgressMode::kNone;
  throw UsageError(UnknownName("progress mode", text, {"auto", "plain", "none"}));
}

void ProgressReporter::Show(const Status& status, bool news) {
  if (mode_ == ProgressMode::kNone) return;
  sparkline_.Add(status.elapsed, status.best_ns);
  const double interval = mode_ == ProgressMode::kLive ? kLiveSeconds : kPlainSeconds;
  if (!news && status.elapsed - last_shown_ < interval) return;
  last_shown_ = status.elapsed;
  std::string text = StatusText(status);
  if (mode_ == ProgressMode::kPlain) {
    fmt::print(out_, "{}\n", text);
  } else {
    // A line that wraps cannot be taken back: the last column stays free.
    const std::size_t columns = TerminalWidth(out_) - 1;
    const std::size_t drawn = draws_ && columns >= kLeastColumns ? kSparkline : 0;
    const std::string line = drawn > 0 ? sparkline_.Text(status.elapsed, drawn) : "";
    text.resize(std::min(text.size(), columns - drawn));
    fmt::print(out_, "\r{}{}\x1b[K", line, text);
    live_line_ = true;
  }
  std::fflush(out_);
}

void ProgressReporter::Say(std::string_view line) {
  Clear();
  fmt::print(out_, "{}\n", line);
  std::fflush(out_);
}

void ProgressReporter::Clear() {
  if (!live_line_) return;
  fmt::print(out_, "\r\x1b[K");
  std::fflush(out_);
  live_line_ = false;
}

}  // namespace exh::search
