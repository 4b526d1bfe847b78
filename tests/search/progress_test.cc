// SPDX-License-Identifier: MIT
#include "search/report/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::HasSubstr;

Status SomeStatus() {
  Status status;
  status.elapsed = 40;
  status.best_ns = 1.12e6;
  status.flops = 2.24e7;
  status.evaluations = 320;
  status.dead_ends = 12;
  status.verdicts[kernels::Verdict::kWrong] = 1;
  status.verdicts[kernels::Verdict::kCompileError] = 2;
  status.verdicts[kernels::Verdict::kCompileTimeout] = 3;
  status.verdicts[kernels::Verdict::kTimeout] = 4;
  return status;
}

std::string Printed(ProgressMode mode, const std::function<void(ProgressReporter&)>& use) {
  char* buffer = nullptr;
  std::size_t size = 0;
  std::FILE* const out = ::open_memstream(&buffer, &size);
  {
    ProgressReporter reporter(mode, out);
    use(reporter);
  }
  std::fclose(out);
  const std::string text(buffer, size);
  ::free(buffer);
  return text;
}

TEST(StatusText, HasWhatAPersonWatches) {
  EXPECT_EQ(StatusText(SomeStatus()),
            "  40.0s  best 1.12 ms 20.0 GFLOP/s  eval 320 (8.0/s)  dead-ends 12"
            "  fail compile 5 wrong 1 crash 0 timeout 4");
  EXPECT_THAT(StatusText({}), HasSubstr("best -"));
  Status bounded = SomeStatus();
  bounded.bound_ns = 0.84e6;
  bounded.pruned = 17;
  EXPECT_THAT(StatusText(bounded),
              HasSubstr("best 1.12 ms 20.0 GFLOP/s  bound 840 us  gap 25%  pruned 17  eval"));
  bounded.violations = 2;
  EXPECT_THAT(StatusText(bounded), HasSubstr("BOUND WRONG 2"));
  Status broken;
  broken.verdicts[kernels::Verdict::kBroken] = 7;
  EXPECT_THAT(StatusText(broken), HasSubstr("broken 7"));
}

TEST(ProgressReporter, PlainLinesHaveNoEscapeCodesAndAreFew) {
  const std::string text = Printed(ProgressMode::kPlain, [](ProgressReporter& reporter) {
    Status status = SomeStatus();
    for (int step = 0; step < 100; ++step) {
      status.elapsed = 0.1 * step;
      reporter.Show(status);
    }
    reporter.Show(status, true);
  });
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);  // The first, and the news.
}

TEST(ProgressReporter, TheLiveLineIsTakenAway) {
  const std::string text = Printed(ProgressMode::kLive, [](ProgressReporter& reporter) {
    reporter.Show(SomeStatus());
    reporter.Say("done");
  });
  EXPECT_THAT(text, testing::StartsWith("\r"));
  EXPECT_THAT(text, testing::EndsWith("\r\x1b[Kdone\n"));
}

TEST(ProgressReporter, NoneIsSilent) {
  EXPECT_EQ(Printed(ProgressMode::kNone,
                    [](ProgressReporter& reporter) { reporter.Show(SomeStatus(), true); }),
            "");
}

TEST(ParseProgress, AFileIsNoTerminal) {
  std::FILE* const file = std::tmpfile();
  EXPECT_EQ(ParseProgress("auto", file), ProgressMode::kPlain);
  EXPECT_EQ(ParseProgress("none", file), ProgressMode::kNone);
  EXPECT_THAT(Thrown<UsageError>([&] { ParseProgress("plan", file); }),
              HasSubstr("did you mean 'plain'?"));
  std::fclose(file);
}

TEST(Sparkline, GoesDownWithTheIncumbentOnAScaleOfFactors) {
  Sparkline line;
  EXPECT_EQ(line.Text(10, 4), "    ");
  line.Add(1, 0);  // Nothing was found yet.
  line.Add(3, 1000);
  EXPECT_EQ(line.Text(4, 4), "  ▁▁");
  line.Add(5, 100);
  line.Add(5.5, 100);
  line.Add(7, 10);
  EXPECT_EQ(line.Text(8, 8), "  ██▅▅▁▁") << "100 is half the way from 1000 to 10";
}

TEST(ProgressReporter, DrawsWhereThereIsPlace) {
  char* buffer = nullptr;
  std::size_t size = 0;
  std::FILE* const out = ::open_memstream(&buffer, &size);
  {
    ProgressReporter reporter(ProgressMode::kLive, out, /*draws=*/true);
    Status status = SomeStatus();
    reporter.Show(status);
    status.elapsed = 80;
    status.best_ns /= 2;
    reporter.Show(status);
  }
  std::fclose(out);
  const std::string text(buffer, size);
  ::free(buffer);
  EXPECT_THAT(text, HasSubstr("\r           ▁  40.0s  best 1.12 ms")) << text;
  EXPECT_THAT(text, HasSubstr("\r     ██████▁  80.0s  best 560 us")) << text;
  const std::size_t last = text.rfind("\r     █");
  // 79 columns: 5 blanks, 7 characters of 3 bytes, and what is left of the text.
  EXPECT_EQ(text.find("\x1b[K", last) - last, 1 + 5 + 7 * 3 + 67);
}

TEST(TerminalDraws, AsTheEnvironmentSays) {
  const auto draws = [](const char* terminal, const char* all, const char* lang) {
    ::setenv("TERM", terminal, 1);
    ::setenv("LC_ALL", all, 1);
    ::setenv("LC_CTYPE", "", 1);
    ::setenv("LANG", lang, 1);
    return TerminalDraws();
  };
  EXPECT_TRUE(draws("xterm-256color", "", "en_US.UTF-8"));
  EXPECT_TRUE(draws("xterm", "C.utf8", "C"));
  EXPECT_FALSE(draws("xterm", "C", "en_US.UTF-8")) << "LC_ALL counts first";
  EXPECT_FALSE(draws("xterm", "", ""));
  EXPECT_FALSE(draws("dumb", "", "en_US.UTF-8"));
  EXPECT_FALSE(draws("linux", "", "en_US.UTF-8")) << "its font has no such characters";
}

}  // namespace
}  // namespace exh::search
