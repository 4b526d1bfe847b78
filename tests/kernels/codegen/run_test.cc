// SPDX-License-Identifier: MIT
#include "kernels/cpu/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>

#include "kernels/cpu/compile.h"
#include "kernels/cpu/problem_file.h"
#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::cpu {
namespace {

using ::testing::HasSubstr;

constexpr int kElements = 1000;
const char kHead[] =
    "extern \"C\" int usleep(unsigned); extern \"C\" int puts(const char*);\n"
    "extern \"C\" void exh_run(float* const* arrays, const float* scalars, int threads) {\n"
    "  (void)threads; const float* x = arrays[0]; float* z = arrays[1]; static int runs; ++runs;\n";
const char kCorrect[] = "for (int i = 0; i < 1000; ++i) z[i] = scalars[0] * x[i];\n";

/// z = 2 * x over 1000 elements; each test writes a body of its own.
class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    for (int i = 0; i < kElements; ++i) {
      x_.push_back(static_cast<float>(i));
      reference_.push_back(2.0 * i);
      tolerance_.push_back(0.5);
    }
    Problem problem;
    problem.arrays = {{"x", false, x_, {}, {}}, {"z", true, {}, reference_, tolerance_}};
    problem.scalars = {2};
    EXPECT_EQ(WriteProblemFile(folder_.path() + "/problem", problem), "");
    request_.problem = folder_.path() + "/problem";
    request_.batch_ms = 0.1;
    request_.timeout_s = 60;
  }

  Measurement Run(const std::string& body) {
    CompilerOptions options;
    options.directory = folder_.path();
    options.flags = {"-O1", "-shared", "-fPIC"};
    const Compiled compiled = Compiler(options).Compile(kHead + body + "}\n");
    EXPECT_EQ(compiled.verdict, Verdict::kCorrect) << compiled.why;
    request_.library = compiled.library;
    return RunCandidate(request_, {EXH_RUNNER_PROGRAM});
  }

  kernels::testing::TemporaryFolder folder_;
  std::vector<float> x_;
  std::vector<double> reference_, tolerance_;
  RunRequest request_;
};

TEST_F(RunTest, CorrectCandidateIsTimed) {
  const Measurement m = Run(kCorrect);
  ASSERT_EQ(m.verdict, Verdict::kCorrect) << m.why;
  ASSERT_EQ(m.runtimes_ns.size(), 5U);
  for (const double ns : m.runtimes_ns) EXPECT_GE(ns, m.best_ns);
  EXPECT_GT(m.best_ns, 0);
  EXPECT_EQ(m.max_error, 0);
}

TEST_F(RunTest, ErrorsWithinTheToleranceAreReported) {
  const Measurement m = Run(std::string(kCorrect) + "z[7] += 0.25f;");
  EXPECT_EQ(m.verdict, Verdict::kCorrect);
  EXPECT_EQ(m.max_error, 0.25);
  EXPECT_EQ(m.max_error_ratio, 0.5);
}

TEST_F(RunTest, WrongElementIsNamed) {
  const Measurement m = Run(std::string(kCorrect) + "z[7] = 15; z[9] = 0;");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_EQ(m.why, "z[7] is 15, expected 14 within 0.5 (1 element is wrong)");
  EXPECT_TRUE(m.runtimes_ns.empty());
}

TEST_F(RunTest, ElementNeverWrittenIsWrong) {
  const Measurement m = Run("for (int i = 0; i < 999; ++i) z[i] = 2 * x[i]; (void)scalars;");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("z[999] is nan"));
}

TEST_F(RunTest, WritesOutsideBoundsAreWrong) {
  Measurement m = Run(std::string(kCorrect) + "z[1000] = 1;");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("z was written outside its bounds, at element 1000 of 1000"));
  m = Run(std::string(kCorrect) + "z[-3] = 1;");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("element -3"));
}

TEST_F(RunTest, WrongInALaterRunIsNoticed) {
  const Measurement m = Run(std::string(kCorrect) + "if (runs > 1) z[5] = 0;");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why,
              HasSubstr("z[5] is 0, expected 10 within 0.5 (1 element is wrong) after the timed"));
}

TEST_F(RunTest, CrashIsAVerdict) {
  Measurement m = Run("*(volatile int*)0 = (int)x[0] + (int)scalars[0] + (int)z[0];");
  EXPECT_EQ(m.verdict, Verdict::kCrash);
  EXPECT_THAT(m.why, HasSubstr("SIGSEGV"));
  // Inputs are read-only.
  m = Run(std::string(kCorrect) + "const_cast<float*>(x)[0] = 1;");
  EXPECT_EQ(m.verdict, Verdict::kCrash);
  m = Run("(void)x, (void)z, (void)scalars; __builtin_trap();");
  EXPECT_EQ(m.verdict, Verdict::kCrash);
}

TEST_F(RunTest, LeavingTheProcessIsACrash) {
  const Measurement m =
      Run("(void)x, (void)z, (void)scalars; extern void leave(int) asm(\"_exit\"); leave(0);");
  EXPECT_EQ(m.verdict, Verdict::kCrash);
  EXPECT_THAT(m.why, HasSubstr("no answer"));
}

TEST_F(RunTest, HangIsStopped) {
  request_.timeout_s = 0.5;
  const Measurement m = Run("(void)x, (void)z, (void)scalars; while (true) usleep(1000);");
  EXPECT_EQ(m.verdict, Verdict::kTimeout);
}

TEST_F(RunTest, SlowerThanTheCapStopsAfterOneBatch) {
  request_.cap_ns = 1000;
  const Measurement m = Run(std::string(kCorrect) + "usleep(2000);");
  EXPECT_EQ(m.verdict, Verdict::kSlow);
  EXPECT_EQ(m.runtimes_ns.size(), 1U);
  EXPECT_GT(m.best_ns, request_.cap_ns);
}

TEST_F(RunTest, WhatACandidatePrintsDoesNotGarbleTheAnswer) {
  EXPECT_EQ(Run(std::string(kCorrect) + "if (runs == 1) puts(\"{}\");").verdict, Verdict::kCorrect);
}

TEST_F(RunTest, BrokenEnvironment) {
  request_.library = folder_.path() + "/no.so";
  EXPECT_EQ(RunCandidate(request_, {EXH_RUNNER_PROGRAM}).verdict, Verdict::kBroken);
  EXPECT_EQ(RunCandidate(request_, {"no-such-runner"}).verdict, Verdict::kBroken);
  request_.problem = folder_.path() + "/no";
  const Measurement m = Run(kCorrect);
  EXPECT_EQ(m.verdict, Verdict::kBroken);
  EXPECT_THAT(m.why, HasSubstr("/no"));
}

TEST_F(RunTest, ProblemFileComesBackWhole) {
  const MappedProblem mapped(request_.problem);
  ASSERT_EQ(mapped.error(), "");
  const Problem& problem = mapped.problem();
  ASSERT_EQ(problem.arrays.size(), 2U);
  EXPECT_EQ(problem.arrays[0].name, "x");
  EXPECT_EQ(problem.arrays[0].values[999], 999);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(problem.arrays[0].values.data()) % 64, 0U);
  EXPECT_EQ(problem.arrays[1].reference[999], 1998);
  EXPECT_EQ(problem.arrays[1].tolerance[999], 0.5);
  EXPECT_EQ(problem.scalars, std::vector<float>{2});
}

TEST_F(RunTest, DamagedProblemFiles) {
  std::string bytes;
  {
    std::ifstream file(request_.problem, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::string path = folder_.path() + "/damaged";
  const auto error_of = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    return MappedProblem(path).error();
  };
  EXPECT_EQ(error_of(bytes), "");
  EXPECT_THAT(error_of(bytes.substr(0, bytes.size() - 4000)), HasSubstr("cut off in array z"));
  EXPECT_NE(error_of(bytes.substr(0, 40)), "");
  EXPECT_NE(error_of(""), "");
  EXPECT_THAT(error_of("something else entirely"), HasSubstr("no problem file"));
  bytes[20] = '!';
  EXPECT_NE(error_of(bytes), "");
  EXPECT_THAT(WriteProblemFile("/proc/no/file", {}), HasSubstr("/proc/no/file"));
}

}  // namespace
}  // namespace exh::kernels::cpu
