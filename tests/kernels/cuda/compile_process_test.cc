// SPDX-License-Identifier: MIT
//
// The process that compiles, with the fake compiler in the place of NVRTC.
#include "kernels/devices/cuda/process/compile_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "kernels/devices/cuda/process/compile_protocol.h"
#include "kernels/devices/cuda/process/worker.h"
#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class CompileProcess : public ::testing::Test {
 protected:
  CompileProcess() {
    std::filesystem::create_symlink(EXH_FAKE_NVRTC, Path("libnvrtc.so.13"));
    // It is looked for by name, so that it must be in the folder that is searched first.
    Start("");
  }

  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }

  void Start(const std::string& fault) {
    worker_ =
        Worker({"sh", "-c",
                "export LD_LIBRARY_PATH=" + folder_.path() + " EXH_FAKE_N=7 EXH_FAKE_FAULTS='" +
                    fault + "'; exec " EXH_CUDA_PROCESS_PROGRAM " compile"});
    std::string line;
    ASSERT_EQ(worker_.Receive(60, line), Worker::Reply::kLine) << worker_.obituary();
    const auto ready = ParseCompileReady(line);
    ASSERT_TRUE(ready.has_value()) << line;
    EXPECT_EQ(ready->why, "");
    EXPECT_EQ(ready->compiler, "libnvrtc.so.13: version 13.0");
  }

  /// The answer to a text; one with id 0 when there is none.
  CompileAnswer Compile(const std::string& source, const std::string& architecture = "sm_90") {
    worker_.Send(ToJsonLine({5, source, architecture, {}, file_}));
    std::string line;
    if (worker_.Receive(60, line) != Worker::Reply::kLine) return {};
    return ParseCompileAnswer(line).value_or(CompileAnswer());
  }

  kernels::testing::TemporaryFolder folder_;
  std::string file_ = folder_.path() + "/out.cubin";
  Worker worker_;
};

TEST_F(CompileProcess, WritesMachineCodeAndTellsResources) {
  const CompileAnswer answer = Compile("void exh_kernel();");
  EXPECT_TRUE(answer.ok);
  EXPECT_EQ(answer.id, 5u);
  EXPECT_EQ(answer.why, "");
  EXPECT_EQ(answer.resources, (KernelResources{32, 0, 0, 0}));
  EXPECT_THAT(answer.log, HasSubstr("Used 32 registers"));
  std::ifstream file(file_);
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(file), {}),
              StartsWith("fake cubin\nkernel exh_kernel axpy n=7 "));
}

TEST_F(CompileProcess, ATextThatIsWrongIsAnAnswer) {
  CompileAnswer answer = Compile("int x;");
  EXPECT_FALSE(answer.ok);
  EXPECT_EQ(answer.why, "");
  EXPECT_EQ(answer.log, "kernel.cu(1): error: there is no kernel");
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_TRUE(Compile("void exh_kernel();").ok);
}

TEST_F(CompileProcess, WhatTheTextIsNotToBlameForIsTold) {
  CompileAnswer answer = Compile("void exh_kernel();", "sm_1");
  EXPECT_FALSE(answer.ok);
  EXPECT_THAT(answer.why, HasSubstr("--gpu-architecture"));
  file_ = Path("nowhere/out.cubin");
  answer = Compile("void exh_kernel();");
  EXPECT_THAT(answer.why, StartsWith("cannot write " + file_ + ": No such file"));
}

TEST_F(CompileProcess, SpillsAreTold) {
  Start("nvrtc=spills");
  const CompileAnswer answer = Compile("void exh_kernel();");
  EXPECT_TRUE(answer.ok);
  EXPECT_EQ(answer.resources, (KernelResources{32, 24, 0, 40}));
}

TEST_F(CompileProcess, WhatACompilerPrintsIsNoAnswer) {
  Start("nvrtc=chatter");
  EXPECT_TRUE(Compile("void exh_kernel();").ok);
  EXPECT_TRUE(Compile("void exh_kernel(int);").ok);
}

TEST_F(CompileProcess, ARequestThatIsNoneIsAnswered) {
  worker_.Send("nonsense");
  std::string line;
  ASSERT_EQ(worker_.Receive(60, line), Worker::Reply::kLine);
  EXPECT_EQ(ParseCompileAnswer(line)->why, "the request is not understood");
  EXPECT_TRUE(Compile("void exh_kernel();").ok);
}

TEST_F(CompileProcess, ACrashTakesOnlyItself) {
  Start("nvrtc=crash");
  EXPECT_EQ(Compile("void exh_kernel();").id, 0u);
  EXPECT_THAT(worker_.obituary(), StartsWith("signal 6"));
}

}  // namespace
}  // namespace exh::kernels::cuda
