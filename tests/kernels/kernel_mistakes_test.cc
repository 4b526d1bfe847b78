// SPDX-License-Identifier: MIT
//
// Whatever goes wrong in a kernel is said with its name: exceptions of any type, results that are
// no result, and ends of the whole program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <stdexcept>

#include "kernels/library/call_kernel.h"
#include "kernels/problem.h"
#include "kernels/task.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels {
namespace {

using ::testing::HasSubstr;

/// y = x, with whatever a test wants to go wrong in it.
class Copy final : public Kernel {
 public:
  std::function<void(ir::Builder&)> build;
  std::function<void(const Parameters&, ProblemData&)> reference;
  double flops = 1;

  std::string_view name() const override { return "copy"; }
  std::string_view summary() const override { return "y = x"; }
  std::vector<Parameter> parameters() const override { return {{"n", 8, 1, 64, "length"}}; }
  void Build(ir::Builder& b, const Parameters& sizes) const override {
    const auto n = static_cast<std::uint32_t>(sizes.at("n"));
    const ir::ArrayId x = b.InputArray("x", n), y = b.OutputArray("y", n);
    const ir::AxisRef axis = b.Axis("n", n, {});
    const ir::Value load = b.Load("load", x, {{axis, 1}});
    const ir::Value copy = b.Compute("copy", ir::Op::kConst, {axis}, {ir::InRegisters(load)});
    if (build) build(b);
    b.Store("store", y, {{axis, 1}}, ir::InRegisters(copy));
  }
  void Reference(const Parameters& sizes, ProblemData& data) const override {
    const auto x = data.at("x").values.As<float>();
    data.at("y").reference.assign(x.begin(), x.end());
    data.at("y").tolerance.assign(x.size(), 0);
    if (reference) reference(sizes, data);
  }
  double Flops(const Parameters&) const override { return flops; }
  std::string NaiveSource(const Parameters&) const override { return ""; }
  std::string EigenSource(const Parameters&) const override { return ""; }
};

Task MakeCopy(const Copy& kernel, const Parameters& sizes = {{"n", 8}}) {
  return MakeTask(kernel, sizes, testing::TestDevice(4));
}

template <typename Call>
std::string What(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string BuildSays(std::function<void(ir::Builder&)> build) {
  Copy kernel;
  kernel.build = std::move(build);
  return What([&] { MakeCopy(kernel); });
}

std::string ReferenceSays(std::function<void(const Parameters&, ProblemData&)> reference,
                          Inputs inputs = Inputs::kUniform) {
  Copy kernel;
  const Task task = MakeCopy(kernel);
  kernel.reference = std::move(reference);
  return What([&] { MakeProblem(task, 1, inputs); });
}

TEST(KernelMistakes, NothingIsSaidOfWhatIsRight) {
  EXPECT_EQ(BuildSays({}), "");
  EXPECT_EQ(ReferenceSays({}), "");
}

TEST(KernelMistakes, WhatBuildThrows) {
  EXPECT_EQ(BuildSays([](ir::Builder& b) { b.Compute("sum", ir::Op::kAdd, {}, {ir::Literal(1)}); }),
            "kernel 'copy': value 'sum': kAdd takes 2 operands, got 1");
  EXPECT_EQ(
      BuildSays([](ir::Builder& b) { b.Compute("sum", ir::Op::kConst, {}, {ir::Literal(1)}); }),
      "kernel 'copy': value 'sum': nothing reads it");
  EXPECT_EQ(BuildSays([](ir::Builder&) { throw std::logic_error("n must be even"); }),
            "kernel 'copy': n must be even");
  EXPECT_EQ(BuildSays([](ir::Builder&) { throw 42; }),
            "kernel 'copy': Build throws something that is no std::exception");
  EXPECT_THROW(BuildSays([](ir::Builder&) { throw std::bad_alloc(); }), std::bad_alloc);
  Copy kernel;
  EXPECT_EQ(What([&] {
              MakeCopy(kernel, {{"m", 1}, {"k", 2}});
            }),
            "kernel 'copy': there is no size 'n'; there are: k, m");
}

TEST(KernelMistakes, AnErrorOfAKernelIsNamedOnce) {
  const Copy kernel;
  EXPECT_EQ(What([&] {
              CallKernel(kernel, "Reference",
                         [&] { CallKernel(kernel, "Build", [] { throw Error("no"); }); });
            }),
            "kernel 'copy': no");
}

TEST(KernelMistakes, Flops) {
  Copy kernel;
  for (const double flops :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    kernel.flops = flops;
    EXPECT_THAT(What([&] { MakeCopy(kernel); }), HasSubstr("kernel 'copy': Flops returns"));
  }
}

TEST(KernelMistakes, References) {
  EXPECT_EQ(ReferenceSays([](const Parameters&, ProblemData& data) { data.at("w"); }),
            "kernel 'copy': Reference: there is no array 'w'; there are: x, y");
  EXPECT_EQ(ReferenceSays([](const Parameters& sizes, ProblemData&) { sizes.at("m"); }),
            "kernel 'copy': Reference: there is no size 'm'; there are: n");
  EXPECT_EQ(
      ReferenceSays([](const Parameters&, ProblemData& data) { data["w"]; }),
      "kernel 'copy': Reference: array 'w' is written, and the backbone has none of that name");
  EXPECT_EQ(ReferenceSays(
                [](const Parameters&, ProblemData& data) { data.at("y").reference.push_back(1); }),
            "kernel 'copy': Reference: array 'y' has 8 elements, its reference 9");
  EXPECT_EQ(
      ReferenceSays([](const Parameters&, ProblemData& data) { data.at("y").tolerance.clear(); }),
      "kernel 'copy': Reference: array 'y' has 8 elements, its tolerance 0");
  EXPECT_EQ(ReferenceSays([](const Parameters&, ProblemData& data) { data.at("x").values = {}; }),
            "kernel 'copy': Reference: array 'x' is an input of 8 elements; it was given 0");
  EXPECT_EQ(ReferenceSays([](const Parameters&, ProblemData& data) {
              data.at("x").values = Elements(ir::Type::kF16, 8);
            }),
            "kernel 'copy': Reference: array 'x' is an input of f32; it was given f16");
  EXPECT_EQ(
      ReferenceSays([](const Parameters&, ProblemData& data) { data.at("y").tolerance[3] = -1; }),
      "kernel 'copy': Reference: array 'y' has the tolerance -1 at element 3; it must be finite "
      "and not negative");
  const auto infinite = [](const Parameters&, ProblemData& data) {
    data.at("y").reference[2] = std::numeric_limits<double>::infinity();
  };
  EXPECT_EQ(
      ReferenceSays(infinite),
      "kernel 'copy': Reference: array 'y' has the reference inf at element 2, and all inputs "
      "are finite");
  EXPECT_EQ(ReferenceSays(infinite, Inputs::kSpecial), "") << "inputs are not all finite there";
}

volatile int deepest = -1;  // Never reached, which the compiler cannot know.

/// Each frame is known to the next one, so that none takes the place of another.
int Recurse(int depth, volatile char* above) {
  volatile char frame[4096];
  frame[0] = above[0];
  if (depth == deepest) return 0;
  const int below = Recurse(depth + 1, frame);
  return below + frame[0];
}

TEST(KernelMistakesDeathTest, EndsOfTheWholeProgramNameTheKernel) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer has handlers of its own";
#endif
  const auto exits = ::testing::ExitedWithCode(1);
  const auto end = [](const std::function<void()>& how) { BuildSays([&](auto&) { how(); }); };
  EXPECT_EXIT(end([] { ::raise(SIGSEGV); }), exits,
              "kernel 'copy': Build ended the program: Segmentation fault");
  EXPECT_EXIT(end([] { std::abort(); }), exits, "kernel 'copy': Build ended the program: Aborted");
  EXPECT_EXIT(end([] { std::exit(0); }), exits,
              "kernel 'copy': Build ended the program: it calls exit");
  EXPECT_EXIT(end([] {
                volatile char top[1] = {1};
                Recurse(0, top);
              }),
              exits, "kernel 'copy': Build ended the program: Segmentation fault");
  EXPECT_EXIT(ReferenceSays([](const Parameters&, ProblemData&) { ::raise(SIGFPE); }), exits,
              "kernel 'copy': Reference ended the program: Floating point exception");
}

TEST(KernelMistakesDeathTest, OutsideOfAKernelASignalDoesWhatItAlwaysDid) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer has handlers of its own";
#endif
  EXPECT_EXIT(
      {
        BuildSays({});
        ::raise(SIGSEGV);
      },
      ::testing::KilledBySignal(SIGSEGV), "^$");
}

}  // namespace
}  // namespace exh::kernels
