// SPDX-License-Identifier: MIT
#include "base/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace exh {
namespace {

using testing::HasSubstr;

std::string Caught() {
  const CheckGuard guard;
  try {
    EXH_CHECK(1 + 1 == 3);
  } catch (const CheckFailure& failure) {
    return failure.what();
  }
  return "";
}

TEST(Check, ThatFailsWhereItIsGuardedIsThrown) {
  const std::string text = Caught();
  EXPECT_THAT(text, HasSubstr("check_test.cc:"));
  EXPECT_THAT(text, HasSubstr(": check failed: 1 + 1 == 3"));
}

TEST(Check, ThatFailsElsewhereAborts) {
  EXPECT_DEATH(EXH_CHECK(1 + 1 == 3), "check_test.cc:[0-9]+: check failed: 1 \\+ 1 == 3");
  EXPECT_DEATH(
      {
        Caught();
        EXH_CHECK(1 + 1 == 4);
      },
      "1 \\+ 1 == 4");
}

TEST(Check, AGuardIsOfItsThread) {
  EXPECT_DEATH(
      {
        const CheckGuard guard;
        std::thread([] { EXH_CHECK(1 + 1 == 5); }).join();
      },
      "1 \\+ 1 == 5");
}

TEST(Check, GuardsNest) {
  const CheckGuard outer;
  EXPECT_NE(Caught(), "");
  EXPECT_THROW(EXH_UNREACHABLE(), CheckFailure);
}

struct FailsAtItsEnd {
  ~FailsAtItsEnd() { EXH_CHECK(1 + 1 == 6); }
};

TEST(Check, ThatNobodyCanCatchAbortsWithItsText) {
  EXPECT_DEATH(
      {
        const CheckGuard guard;
        const FailsAtItsEnd end;
        EXH_CHECK(1 + 1 == 7);
      },
      "1 \\+ 1 == 6");
  EXPECT_DEATH(
      {
        const CheckGuard guard;
        []() noexcept { EXH_CHECK(1 + 1 == 8); }();
      },
      "1 \\+ 1 == 8");
}

}  // namespace
}  // namespace exh
