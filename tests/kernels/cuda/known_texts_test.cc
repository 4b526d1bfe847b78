// SPDX-License-Identifier: MIT
//
// What NVRTC is asked for when it is first used: on the fake compiler and driver, with answers that
// are right, wrong, and right with an option; and, where NVRTC is installed, what it makes of them.
#include "kernels/devices/cuda/probes/known_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/driver.h"
#include "kernels/devices/cuda/driver/gpu.h"
#include "tests/support/sass.h"

namespace exh::kernels::cuda {
namespace {

using Outcome = KnownAnswer::Outcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OnFakes : public ::testing::Test {
 protected:
  OnFakes()
      : gpu_(*Driver::Load(std::vector<std::string>{EXH_FAKE_DRIVER}).driver, 0),
        nvrtc_(*Nvrtc::Load(std::vector<std::string>{EXH_FAKE_NVRTC}).nvrtc) {
    Set("", "");
  }
  ~OnFakes() override { Set("", ""); }

  /// Texts that contain `wrong` are compiled wrongly, unless with the option `remedy`.
  static void Set(const char* wrong, const char* remedy) {
    ::setenv("EXH_FAKE_KNOWN", wrong, 1);
    ::setenv("EXH_FAKE_REMEDY", remedy, 1);
  }

  Gpu gpu_;
  Nvrtc nvrtc_;
};

TEST_F(OnFakes, ACompilerThatIsRightNeedsNothing) {
  const KnownAnswers known = AskNvrtc(nvrtc_, gpu_);
  EXPECT_THAT(known.answers, SizeIs(11));
  for (const KnownAnswer& answer : known.answers) {
    EXPECT_EQ(answer.outcome, Outcome::kRight) << answer.what << ": " << answer.why;
  }
  EXPECT_THAT(known.Notes(), IsEmpty());
  EXPECT_THAT(known.Report().front(), HasSubstr("version 13.0 for sm_90: 11 of 11 right"));
  EXPECT_THAT(known.OptionsFor("exh_dmma("), IsEmpty());
}

TEST_F(OnFakes, WhatIsWrongIsCompiledWithTheFirstOptionThatMendsIt) {
  Set("exh_mma_bf16(c0", "--Ofast-compile=min");
  const KnownAnswers known = AskNvrtc(nvrtc_, gpu_);
  EXPECT_THAT(known.OptionsFor("exh_mma_bf16(a, b)"), ElementsAre("--Ofast-compile=min"));
  EXPECT_THAT(known.OptionsFor("exh_mma_f16(a, b)"), IsEmpty());
  ASSERT_THAT(known.Notes(), SizeIs(1));
  EXPECT_THAT(known.Notes().front(), HasSubstr("256 of 256 results, the first is nan and not 0"));
  EXPECT_THAT(known.Notes().front(), HasSubstr("compiled with --Ofast-compile=min besides"));
}

TEST_F(OnFakes, WhatNoOptionMendsIsSaid) {
  Set("exh_mma_i8(c0", "--nothing");
  const KnownAnswers known = AskNvrtc(nvrtc_, gpu_);
  EXPECT_THAT(known.OptionsFor("exh_mma_i8(a, b)"), IsEmpty());
  EXPECT_THAT(known.Notes(), ElementsAre(HasSubstr("no option mends that")));
}

TEST_F(OnFakes, AFormThatNoTextHasNeedsNoOption) {
  Set("c0 = (blockIdx.x == 0 ? v0 : 0.0f);\n  double", "");
  const KnownAnswers known = AskNvrtc(nvrtc_, gpu_);
  EXPECT_THAT(known.Notes(), IsEmpty());
  EXPECT_THAT(known.Report(),
              ElementsAre(HasSubstr("10 of 11 right"), HasSubstr("no text has them in this form")));
  EXPECT_THAT(known.OptionsFor("exh_dmma("), IsEmpty());
}

TEST(KnownTexts, AreThoseThatAnArchitectureHas) {
  EXPECT_THAT(KnownTexts("sm_75"), SizeIs(1));
  EXPECT_THAT(KnownTexts("sm_80"), SizeIs(4));
  EXPECT_THAT(KnownTexts("sm_89"), SizeIs(8));
  EXPECT_THAT(KnownTexts("sm_90"), SizeIs(11));
  EXPECT_THAT(KnownTexts(""), SizeIs(1));
}

// Sums of doubles that are chosen between with 0 are what ptxas of CUDA 13.0 gets wrong: no text
// that is printed may come to that, but the one that is avoided.
TEST(KnownTexts, NothingIsLeftToThePtxasThatGetsItWrong) {
  const auto [nvrtc, problem] = Nvrtc::Load(Nvrtc::LibraryNames());
  if (!nvrtc) GTEST_SKIP() << problem;
  int doubles = 0;
  for (const KnownText& text : KnownTexts("sm_90")) {
    const Cubin cubin = nvrtc->Compile(text.source, "sm_90");
    ASSERT_TRUE(cubin.ok()) << text.what << ":\n" << cubin.log << text.source;
    const tests::DoubleSteps steps = tests::DoubleStepsOf(cubin.bytes, "exh_known");
    doubles += steps.all;
    if (nvrtc->description().ends_with("version 13.0") && text.is_avoided) {
      EXPECT_EQ(steps.of_zero_or_sums, 1) << "the test sees nothing";
    }
    if (text.is_avoided) continue;
    EXPECT_EQ(steps.of_zero_or_sums, 0) << text.what;
  }
  EXPECT_EQ(doubles, 3);
}

}  // namespace
}  // namespace exh::kernels::cuda
