// SPDX-License-Identifier: MIT
//
// The lines between the search and its processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "kernels/devices/cuda/process/compile_protocol.h"
#include "kernels/devices/cuda/process/run_protocol.h"

namespace exh::kernels::cuda {
namespace {

using ::testing::ElementsAre;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// One line, and the same again when it was read.
template <typename T, typename Parse>
T Again(const T& value, Parse parse) {
  const std::string line = ToJsonLine(value);
  EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
  const std::optional<T> parsed = parse(line);
  EXPECT_TRUE(parsed.has_value()) << line;
  if (!parsed) return {};
  EXPECT_EQ(ToJsonLine(*parsed), line);
  return *parsed;
}

TEST(RunProtocol, LinesComeBack) {
  RunSetup setup{{"a.so", "b.so"}, {"one", "two\n"}, "programs", 3, true};
  setup = Again(setup, ParseRunSetup);
  EXPECT_THAT(setup.drivers, ElementsAre("a.so", "b.so"));
  EXPECT_THAT(setup.problems, ElementsAre("one", "two\n"));
  EXPECT_TRUE(setup.cold);
  EXPECT_EQ(Again(RunReady{"", "H200", "13.0"}, ParseRunReady).gpu, "H200");

  RunRequest request;
  request.cubin = "x.cubin";
  Launch launch = {std::uint64_t{1} << 40,
                   256,
                   99,
                   7,
                   96,
                   16,
                   {{"exh_fill", true, 5, 256, 0}, {"exh_finish", false, 3, 64, 100}},
                   true};
  launch.maps = {{1, 4, {std::uint64_t{1} << 32, 3}, {std::uint64_t{1} << 36}, {32, 256}, 128},
                 {0, 1, {77}, {}, {16}, 0}};
  request.launch = launch;
  request.full = true;
  request.launches = 20;
  request.give_up_ns = 7e6;
  request.worth_ns = 8e6;
  request.problems = {"other"};
  VendorStep pack, gemm;
  pack.op = VendorStep::Op::kPack;
  pack.stride = 32;
  gemm.a = kScratch;
  gemm.transpose_b = true;
  gemm.type = ir::Type::kBf16;
  gemm.alpha = 0.1;
  request.vendor = VendorCall{{pack}, {gemm}, 64};
  request.vendor_lt = true;
  request = Again(request, ParseRunRequest);
  EXPECT_EQ(request.launch, launch);
  EXPECT_TRUE(request.full);
  EXPECT_EQ(request.launches, 20);
  EXPECT_EQ(request.give_up_ns, 7e6);
  EXPECT_EQ(request.worth_ns, 8e6);
  EXPECT_THAT(request.problems, ElementsAre("other"));
  ASSERT_TRUE(request.vendor.has_value());
  EXPECT_EQ(request.vendor->before.at(0).op, VendorStep::Op::kPack);
  EXPECT_EQ(request.vendor->before.at(0).stride, 32);
  EXPECT_EQ(request.vendor->steps.at(0).a, kScratch);
  EXPECT_TRUE(request.vendor->steps.at(0).transpose_b && request.vendor_lt);
  EXPECT_EQ(request.vendor->steps.at(0).type, ir::Type::kBf16);
  EXPECT_EQ(request.vendor->steps.at(0).type_c, ir::Type::kF32);
  EXPECT_EQ(request.vendor->steps.at(0).alpha, 0.1);
  EXPECT_EQ(request.vendor->scratch_bytes, 64u);
  std::string unknown = ToJsonLine(request);
  unknown.replace(unknown.find("bf16"), 4, "f128");
  EXPECT_FALSE(ParseRunRequest(unknown).has_value());
  EXPECT_FALSE(Again(RunRequest{}, ParseRunRequest).vendor.has_value());

  RunAnswer answer;
  answer.measurement.verdict = Verdict::kWrong;
  answer.measurement.why = "z[0] is \xFF nan";
  answer.measurement.runtimes_ns = {1.5, 2.5};
  answer.measurement.results = 2;
  answer.measurement.estimate_ns = 3.5;
  answer.measurement.estimate_blocks = std::uint64_t{1} << 40;
  answer.measurement.max_error = kInf;
  answer.ends = true;
  answer.rates = {4, 5, 6, 7};
  answer = *ParseRunAnswer(ToJsonLine(answer));
  EXPECT_EQ(answer.measurement.verdict, Verdict::kWrong);
  EXPECT_EQ(answer.measurement.why, "z[0] is \xEF\xBF\xBD nan");
  EXPECT_EQ(answer.measurement.results, 2u);
  EXPECT_EQ(answer.measurement.max_error, kInf);
  EXPECT_EQ(answer.measurement.estimate_ns, 3.5);
  EXPECT_EQ(answer.measurement.estimate_blocks, std::uint64_t{1} << 40);
  EXPECT_TRUE(answer.ends);
  EXPECT_EQ(answer.rates.copy_gbs(), 5);
  EXPECT_EQ(answer.rates.fma_gflops + answer.rates.clock_mhz, 13);
}

TEST(RunProtocol, AProgramOfOneKernelNeedsNoMore) {
  RunRequest request;
  request.launch = {8, 128, 99, 16};
  auto object = nlohmann::json::parse(ToJsonLine(request));
  for (const char* const field :
       {"workspace_bytes", "ticket_bytes", "sides", "overlaps", "cluster", "maps"}) {
    object.erase(field);
  }
  const std::optional<RunRequest> parsed = ParseRunRequest(object.dump());
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->launch, request.launch);
  object["sides"] = {{{"kernel", "exh_fill"}}};
  EXPECT_FALSE(ParseRunRequest(object.dump()).has_value());
  object.erase("sides");
  object["maps"] = {{{"array", 0}}};
  EXPECT_FALSE(ParseRunRequest(object.dump()).has_value());
}

TEST(CompileProtocol, LinesComeBack) {
  EXPECT_EQ(Again(CompileReady{"nvrtc 13", ""}, ParseCompileReady).compiler, "nvrtc 13");
  const std::string source = "line \"1\"\n\tline 2 \\ \x01\n";
  const CompileRequest request =
      Again(CompileRequest{7, source, "sm_90", {"-a", "-b"}, "f", Optimization::kQuick},
            ParseCompileRequest);
  EXPECT_EQ(request.id, 7u);
  EXPECT_EQ(request.source, source);
  EXPECT_THAT(request.options, ElementsAre("-a", "-b"));
  EXPECT_EQ(request.optimization, Optimization::kQuick);
  CompileAnswer answer{7, true, "log\n", "", {32, 1, 2, 3}, 12.5};
  answer = Again(answer, ParseCompileAnswer);
  EXPECT_EQ(answer.resources, (KernelResources{32, 1, 2, 3}));
  EXPECT_EQ(answer.log, "log\n");
}

TEST(Protocols, WhatIsNoLineOfOursIsNothing) {
  for (const char* const line : {"", "{", "{}", "[]", "7", "null", "hello", "{\"id\":\"x\"}"}) {
    EXPECT_FALSE(ParseRunSetup(line).has_value()) << line;
    EXPECT_FALSE(ParseRunReady(line).has_value()) << line;
    EXPECT_FALSE(ParseRunRequest(line).has_value()) << line;
    EXPECT_FALSE(ParseRunAnswer(line).has_value()) << line;
    EXPECT_FALSE(ParseCompileReady(line).has_value()) << line;
    EXPECT_FALSE(ParseCompileRequest(line).has_value()) << line;
    EXPECT_FALSE(ParseCompileAnswer(line).has_value()) << line;
  }
}

}  // namespace
}  // namespace exh::kernels::cuda
