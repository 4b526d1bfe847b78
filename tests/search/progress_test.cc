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

}  // namespace
}  // namespace exh::search
