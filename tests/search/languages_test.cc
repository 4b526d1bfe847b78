// SPDX-License-Identifier: MIT
//
// Files of other languages than that of kernels, for --kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "search/subject/problem.h"
#include "search/subject/registry.h"
#include "tests/support/tree.h"

namespace exh::search {
namespace {

using testing::HasSubstr;

const std::string kRoot = kSourceDir;
const std::string kOperators = kRoot + "/tests/kernels/text/operators.jsonl";
const std::string kTiled = kRoot + "/examples/lift/programs/tiled_convolution.fun";

ProblemOptions Asked(const std::string& file, const std::string& size = "") {
  ProblemOptions options;
  options.kernel = file;
  options.size = size;
  return options;
}

std::string TextOf(const std::string& file, const std::string& size = "") {
  const ProblemOptions options = Asked(file, size);
  const kernels::Kernel& kernel = FindKernel(options);
  ParseSizes(kernel, options);  // Those of the program are not the kernel's.
  return std::string(kernel.text());
}

std::string MistakeOf(const std::string& file, const std::string& size = "") {
  try {
    TextOf(file, size);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Languages, AreKnownByTheirFiles) {
  EXPECT_NE(LanguageOf("a.json"), nullptr);
  EXPECT_NE(LanguageOf("a.jsonl:3#2"), nullptr);
  EXPECT_NE(LanguageOf("a.fun"), nullptr);
  EXPECT_NE(LanguageOf("a.fun"), LanguageOf("a.json"));
  EXPECT_EQ(LanguageOf("a.kernel"), nullptr);
  EXPECT_EQ(LanguageOf("matmul"), nullptr);
}

TEST(Languages, OperatorsAreKernels) {
  EXPECT_THAT(TextOf(kRoot + "/tests/kernels/fused/operators/sum_of_squares.json"),
              HasSubstr("s[i] = sum(j) "));
  EXPECT_THAT(TextOf(kOperators + ":1"), HasSubstr("kernel Fused_"));
}

TEST(Languages, SayWhatIsWrongWithAnOperator) {
  EXPECT_THAT(MistakeOf(kOperators + ":0"),
              HasSubstr("behind the colon stands the number of a line"));
  EXPECT_THAT(MistakeOf(kOperators + ":9999"), HasSubstr("has no line 9999"));
  EXPECT_THAT(MistakeOf(kOperators + ":1#0"), HasSubstr("behind # stands the number of a part"));
  EXPECT_THAT(MistakeOf(kOperators + ":1#99"), HasSubstr("and no #99"));
  EXPECT_EQ(MistakeOf(kOperators + ":1", "m=4"),
            "--size: the sizes of a fused operator stand in its file");
  EXPECT_THAT(MistakeOf(kRoot + "/tests/kernels/fused/operators/layout.json"),
              HasSubstr("is no kernel: "));
}

TEST(Languages, ProgramsAreKernelsWhateverTheirParameters) {
  const std::string sizes = "channels=4,side=6,kernels=6";
  const std::string text = TextOf(kTiled, sizes);
  EXPECT_THAT(text, HasSubstr("output out: f32[6, 6, 6]"));
  EXPECT_EQ(TextOf(kTiled, sizes + ",theta=4,kappa=2,sigma=2"), text);
  EXPECT_EQ(TextOf(kTiled, sizes + ",theta=8,kappa=6,sigma=6"), text);
}

TEST(Languages, SayWhatIsWrongWithAProgram) {
  EXPECT_THAT(MistakeOf(kTiled, "theta=59"), HasSubstr("none of the parameter's values"));
  EXPECT_THAT(MistakeOf(kRoot + "/examples/conv_space/conv.fun",
                        "channels=4,side=6,kernels=6,rho=1,theta=5,kappa=2,sigma=3,omega=36,v=1"),
              HasSubstr("no values of its parameters were found that go together"));
  EXPECT_THAT(MistakeOf(kRoot + "/no_such.fun"), HasSubstr("no_such.fun"));
}

}  // namespace
}  // namespace exh::search
