// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "kernels/devices/cuda/own/kernel_text.h"
#include "kernels/devices/cuda/own/launch_limits.h"
#include "kernels/devices/cuda/own/setup.h"

namespace exh::kernels::cuda {
namespace {

using ::testing::HasSubstr;

std::string Plain(const std::string& text, const std::string& entry = "k") {
  return WithPlainName(text, "kernel.cu", entry);
}

std::string Mistake(const std::string& text, const std::string& entry = "k") {
  try {
    Plain(text, entry);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(OwnKernelText, TheNameOfCIsPutBeforeTheKernelAndNothingElseChanges) {
  EXPECT_EQ(Plain("#include <a.h>\n__global__ void k(int n) {}\n"),
            "#include <a.h>\nextern \"C\" __global__ void k(int n) {}\n");
  EXPECT_EQ(
      Plain("__global__ void other() {}\n__global__ void __launch_bounds__(64) k() {}"),
      "__global__ void other() {}\nextern \"C\" __global__ void __launch_bounds__(64) k() {}");
  EXPECT_EQ(
      Plain("template <int N> __device__ int f() { return N; }\n__global__ void k() {}"),
      "template <int N> __device__ int f() { return N; }\nextern \"C\" __global__ void k() {}");
}

TEST(OwnKernelText, WhatHasSuchANameStaysAsItIs) {
  for (const char* const text :
       {"extern \"C\" __global__ void k() {}", "extern \"C\"\n__global__ void k() {}",
        "extern \"C\" {\n__global__ void k() {}\n}",
        "extern \"C\" {\nint x;\n__global__ void k() {}\n}"}) {
    EXPECT_EQ(Plain(text), text);
  }
}

TEST(OwnKernelText, CommentsAreNoKernels) {
  EXPECT_EQ(
      Plain("// __global__ void k() {}\n/* __global__ void k(); */ __global__ void k() {}"),
      "// __global__ void k() {}\n/* __global__ void k(); */ extern \"C\" __global__ void k() "
      "{}");
  EXPECT_THAT(Mistake("// __global__ void k() {}"), HasSubstr("there is no kernel in it"));
  EXPECT_EQ(Plain("const char* s = \"// \\\" \"; __global__ void k() {}"),
            "const char* s = \"// \\\" \"; extern \"C\" __global__ void k() {}");
}

TEST(OwnKernelText, WhatCannotBeLaunchedIsSaid) {
  EXPECT_THAT(Mistake("template <int N>\n__global__ void k() {}"), HasSubstr("is a template"));
  EXPECT_THAT(Mistake("__global__ void kernel() {}", "kernal"),
              HasSubstr("did you mean 'kernel'?"));
  EXPECT_EQ(Mistake("extern \"C\" __global__ void MAKE(k)(int n) {}"), "none");
}

TEST(OwnKernelText, LinesKeepTheirNumbers) {
  EXPECT_EQ(WithDefines("#define A 1\n", "int x;\n"),
            "#define A 1\n#line 1 \"kernel.cu\"\nint x;\n");
}

DeviceFacts Facts() {
  DeviceFacts facts;
  facts.capability_major = 9;
  facts.threads_per_block = 1024;
  facts.shared_bytes = 227 << 10;
  return facts;
}

std::string Problem(const OwnLaunch& launch, const DeviceFacts& facts = Facts()) {
  WideLaunch wide;
  return ProblemOfLaunch(launch, facts, wide);
}

TEST(OwnLaunchLimits, WhatAGpuHasIsLaunched) {
  OwnLaunch launch;
  launch.grid = {6, 65535, 2};
  launch.block = {4, 4, 64};
  launch.cluster = {2, 1, 1};
  launch.shared = 227 << 10;
  WideLaunch wide;
  EXPECT_EQ(ProblemOfLaunch(launch, Facts(), wide), "");
  EXPECT_THAT(wide.grid, ::testing::ElementsAre(6u, 65535u, 2u));
  EXPECT_EQ(wide.threads(), 1024u);
  EXPECT_TRUE(wide.has_clusters());
}

TEST(OwnLaunchLimits, WhatItHasNotIsSaid) {
  EXPECT_THAT(Problem({.block = {0, 1, 1}}), HasSubstr("block.x is 0"));
  EXPECT_THAT(Problem({.block = {1, 1, 65}}), HasSubstr("block.z is 65, and may be 1 to 64"));
  EXPECT_THAT(Problem({.block = {1024, 2, 1}}), HasSubstr("a block of 2048 threads"));
  EXPECT_THAT(Problem({.grid = {1, 65536, 1}}), HasSubstr("grid.y is 65536"));
  EXPECT_THAT(Problem({.grid = {-1, 1, 1}}), HasSubstr("grid.x is -1"));
  EXPECT_THAT(Problem({.shared = (227 << 10) + 1}), HasSubstr("shared memory"));
  EXPECT_THAT(Problem({.grid = {3, 1, 1}, .cluster = {2, 1, 1}}), HasSubstr("no multiple"));
  EXPECT_THAT(Problem({.grid = {16, 1, 1}, .cluster = {4, 4, 1}}), HasSubstr("16 blocks"));
  DeviceFacts old = Facts();
  old.capability_major = 8;
  EXPECT_THAT(Problem({.grid = {2, 1, 1}, .cluster = {2, 1, 1}}, old), HasSubstr("sm_90"));
}

TEST(OwnSetup, WhatIsWrittenIsRead) {
  OwnSetup setup;
  setup.drivers = {"a", "b"};
  setup.ordinal = 3;
  setup.entry = "k";
  setup.arguments = {{"x", ir::Type::kF16, OwnArgument::Role::kIn, 8, "x.bin", {}},
                     {"n", ir::Type::kI64, OwnArgument::Role::kScalar, 0, "", {}},
                     {"y", ir::Type::kBool, OwnArgument::Role::kInOut, 9, "", 0.5}};
  setup.constants = {{"filter", *OwnType::OfWord("u16"), OwnArgument::Role::kIn, 4, "", 3}};
  setup.tolerance = 0.25;
  setup.reference.grid = {1, 2, 3};
  setup.reference.scalars = {1.5};
  const OwnSetup read = ParseOwnSetup(WriteOwnSetup(setup));
  EXPECT_EQ(WriteOwnSetup(read), WriteOwnSetup(setup));
  EXPECT_EQ(read.arguments[0].file, "x.bin");
  EXPECT_EQ(read.arguments[2].number, 0.5);
  EXPECT_EQ(read.constants.at(0).type.word(), "u16");
  EXPECT_EQ(read.reference.grid[2], 3);
}

}  // namespace
}  // namespace exh::kernels::cuda
