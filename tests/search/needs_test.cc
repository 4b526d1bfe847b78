// SPDX-License-Identifier: MIT
//
// What of a command line the program `search-kernels` hands over.
#include "search/commands/parts/needs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "search/commands/parts/parts.h"
#include "search/log/log_json.h"
#include "search/log/log_line.h"
#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::search {
namespace {

class Needs : public ::testing::Test {
 protected:
  /// A run whose log begins so.
  std::string Run(const RunRecord& header) {
    const std::string run = folder_.path() + "/" + std::to_string(++runs_);
    std::filesystem::create_directory(run);
    LogTail tail;
    std::ofstream(run + "/log.jsonl") << SealLine(RecordText(ToJson(header)), tail)
                                      << SealLine(RecordText(Json{{"t", "eval"}}), tail);
    return run;
  }
  static RunRecord Header(const std::string& subject, const std::string& device) {
    RunRecord header;
    header.space = "linalg";
    header.subject = subject;
    header.kernel = "matmul";
    header.device = device;
    header.limits["language"] = device == "cpu" ? "\"c++\"" : "\"no language of ours\"";
    return header;
  }
  std::string Run(const std::string& subject, const std::string& device) {
    return Run(Header(subject, device));
  }

  /// As of a program that has kernels alone.
  static std::string WhatNeedsTheWhole(const std::vector<std::string>& words) {
    constexpr SubjectKind kKernels[] = {{"", nullptr}};
    return search::WhatNeedsTheWhole(words, kKernels);
  }

  int runs_ = 0;
  kernels::testing::TemporaryFolder folder_;
};

TEST_F(Needs, SearchesOfAProcessorNeedNothing) {
  EXPECT_EQ(WhatNeedsTheWhole({}), "");
  EXPECT_EQ(WhatNeedsTheWhole({"--help"}), "");
  EXPECT_EQ(WhatNeedsTheWhole({"--kernel", "examples/kernels/dense.kernel"}), "");
  EXPECT_EQ(WhatNeedsTheWhole({"--kernel", "operator.json"}),
            "operator.json, which is no .kernel,");
  EXPECT_EQ(WhatNeedsTheWhole({"--kernel=operators.jsonl:12"}),
            "operators.jsonl:12, which is no .kernel,");
  EXPECT_EQ(WhatNeedsTheWhole({"list", "conv.fun"}), "conv.fun, which is no .kernel,");
  EXPECT_EQ(WhatNeedsTheWhole({"--kernel", "matmul", "--budget", "60s"}), "");
  EXPECT_EQ(WhatNeedsTheWhole({"--kernel", "matmul", "--device", "cpu"}), "");
  EXPECT_EQ(WhatNeedsTheWhole({"--kernel", "matmul", "--device=cpu"}), "");
  EXPECT_EQ(WhatNeedsTheWhole({"log", "show", Run("", "cpu")}), "");
  EXPECT_EQ(WhatNeedsTheWhole({"replay", Run("", "cpu") + "/log.jsonl"}), "");
  EXPECT_EQ(WhatNeedsTheWhole({"replay", "no/such/file", "--device"}), "");
}

TEST_F(Needs, OtherCommandsAndDevicesNeedTheWhole) {
  EXPECT_EQ(WhatNeedsTheWhole({"fused", "x.json"}), "fused");
  EXPECT_EQ(WhatNeedsTheWhole({"install-kernel", "a", "--out", "b"}), "install-kernel");
  EXPECT_EQ(WhatNeedsTheWhole({"tune", "shapes.jsonl", "--out", "b"}), "tune");
  EXPECT_EQ(WhatNeedsTheWhole({"--kernel", "matmul", "--device", "cuda"}), "--device cuda");
  EXPECT_EQ(WhatNeedsTheWhole({"--kernel", "matmul", "--device=h200"}), "--device h200");
  EXPECT_EQ(WhatNeedsTheWhole({"--simulate", "runs/a"}), "--simulate");
  EXPECT_EQ(WhatNeedsTheWhole({"--plugin=dot.so", "list"}), "--plugin");
  EXPECT_EQ(WhatNeedsTheWhole({"list", "--spaces"}), "--spaces");
}

TEST_F(Needs, RunsOfOthersNeedTheWhole) {
  const std::string gpu = Run("", "h200"), fused = Run(kFusedSubject, "cpu");
  EXPECT_EQ(WhatNeedsTheWhole({"log", "show", gpu}), gpu + ", which is of the device h200");
  EXPECT_EQ(WhatNeedsTheWhole({"--resume", gpu}), gpu + ", which is of the device h200");
  EXPECT_EQ(WhatNeedsTheWhole({"log", "diff", gpu + "@best", gpu + "@3"}),
            gpu + "@best, which is of the device h200");
  EXPECT_EQ(WhatNeedsTheWhole({"log", "show", fused}), fused + ", a run of the subject fused");
  EXPECT_EQ(search::WhatNeedsTheWhole({"log", "show", fused}, SubjectKinds()), "");
  const std::string decisions = folder_.path() + "/best.replay";
  std::ofstream(decisions) << "# by hand\nkernel: matmul\ndevice: k4000\n";
  EXPECT_EQ(WhatNeedsTheWhole({"replay", decisions}), decisions + ", which is of the device k4000");
}

TEST_F(Needs, OldLogsAreOfTheirSubject) {
  RunRecord old = Header("", "cpu");
  old.kernel = kFusedSubject;
  old.text = "{}";
  const std::string fused = Run(old);
  EXPECT_EQ(WhatNeedsTheWhole({"log", "show", fused}), fused + ", a run of the subject fused");
  RunRecord long_ago = Header("", "h200");
  long_ago.limits.clear();
  const std::string gpu = Run(long_ago);
  EXPECT_EQ(WhatNeedsTheWhole({"log", "show", gpu}), gpu + ", which is of the device h200");
  long_ago.device = "cpu";
  EXPECT_EQ(WhatNeedsTheWhole({"log", "show", Run(long_ago)}), "");
}

TEST_F(Needs, TheNamesAreThoseOfTheWhole) {
  CLI::App whole, none;
  Invocation invocation;
  WholeParts().add(whole, invocation);
  NoParts().add(none, invocation);
  const auto helped = [](const CLI::App& app) {
    std::map<std::string, std::string> commands;
    for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
      commands[one->get_name()] = one->get_description();
    }
    return commands;
  };
  EXPECT_EQ(helped(none), helped(whole));
}

TEST_F(Needs, WithoutTheWholeThereIsAMessage) {
  ::unsetenv(kWholeProgram);
  EXPECT_THROW(BecomeTheWhole({"fused"}, "fused"), std::exception);
  ::setenv(kWholeProgram, "/no/such/program", 1);
  EXPECT_THROW(BecomeTheWhole({"fused"}, "fused"), std::exception);
  ::unsetenv(kWholeProgram);
}

}  // namespace
}  // namespace exh::search
