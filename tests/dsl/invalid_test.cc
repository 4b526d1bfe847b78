// SPDX-License-Identifier: MIT
//
// Every file in invalid/ says on its own lines which diagnostics it must cause.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/dsl/verify.h"

namespace exh::dsl {
namespace {

class InvalidFile : public testing::TestWithParam<std::string> {};

TEST_P(InvalidFile, CausesExactlyTheExpectedDiagnostics) {
  for (const std::string& text : SplitCases(ReadFile(GetParam()))) {
    const auto deviations = VerifyDiagnostics(GetParam(), text);
    EXPECT_TRUE(deviations.empty()) << fmt::format("{}", fmt::join(deviations, "\n"));
    EXPECT_NE(text.find("expected-"), std::string::npos) << "a case that expects nothing:\n"
                                                         << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Dsl, InvalidFile, testing::ValuesIn(ExhFiles("tests/dsl/invalid")),
                         [](const auto& file) {
                           return std::filesystem::path(file.param).stem().string();
                         });

TEST(VerifyDiagnostics, NoticesAMissingDiagnostic) {
  EXPECT_EQ(VerifyDiagnostics("a.exh", "// expected-error {{nothing}}\n"),
            std::vector<std::string>{"a.exh:1: missing error: nothing"});
}

TEST(VerifyDiagnostics, NoticesAnUnexpectedDiagnostic) {
  const auto deviations = VerifyDiagnostics("a.exh", "require f() is A\n");
  ASSERT_EQ(deviations.size(), 1U);
  EXPECT_NE(deviations[0].find("a.exh:1: unexpected error: unknown choice 'f'"), std::string::npos)
      << deviations[0];
}

TEST(VerifyDiagnostics, NoticesAWrongLine) {
  EXPECT_EQ(
      VerifyDiagnostics("a.exh", "\nrequire f() is A // expected-error@-1 {{unknown}}\n").size(),
      2U);
}

}  // namespace
}  // namespace exh::dsl
