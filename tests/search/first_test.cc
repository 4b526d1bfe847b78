// SPDX-License-Identifier: MIT
//
// What a search of each kernel begins with: that it is there, and what it looks like. That it is
// correct and fast enough is for machines that run it (tests/e2e).
#include "search/descend/first.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "kernels/devices/backend.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Begun {
  Problem problem;
  std::vector<runtime::Candidate> first;
  std::string Outline(std::size_t index) const {
    return kernels::Outline(problem.task, first[index]);
  }
  kernels::Source Source(std::size_t index) const {
    return kernels::EmitSource(problem.task, first[index]);
  }
};

Begun Begin(const std::string& kernel, const std::string& size, const std::string& device) {
  ProblemOptions options;
  options.kernel = kernel;
  options.size = size;
  options.device = device;
  options.threads = 4;
  Begun begun{MakeProblem(options), {}};
  const runtime::Candidate root = begun.problem.root();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  for (const kernels::Recipe& recipe : kernels::FirstRecipes(*begun.problem.task.function)) {
    const auto [implementation, missed] = Follow(recipe, root, order);
    if (recipe.is_exact) {
      EXPECT_EQ(missed, "") << kernel << " " << size << " on " << device;
    }
    EXPECT_TRUE(implementation) << kernel << " " << size << " on " << device << ": " << recipe.name;
    if (implementation) begun.first.push_back(*implementation);
    if (implementation && std::getenv("EXH_PRINT") != nullptr) {
      fmt::print("---- {} {} on {}: {}\n{}\n", kernel, size, device, recipe.name,
                 kernels::Outline(begun.problem.task, *implementation));
    }
  }
  return begun;
}

TEST(First, EveryKernelHasThemOnTheCpu) {
  for (const std::string& kernel : KernelNames()) {
    const Begun begun = Begin(kernel, "", "cpu");
    ASSERT_EQ(begun.first.size(), 2u) << kernel;
    EXPECT_THAT(begun.Outline(0), HasSubstr("block")) << kernel;
    EXPECT_THAT(begun.Outline(1), Not(HasSubstr("block"))) << kernel;
    EXPECT_NE(begun.Source(0).text, begun.Source(1).text) << kernel;
  }
}

TEST(First, WhatIsNotInASpaceIsNamed) {
  ProblemOptions options;
  options.kernel = "axpy";
  const Problem problem = MakeProblem(options);
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  const auto missed = [&](std::vector<kernels::Wish> wishes) {
    const Followed followed = Follow({"mine", std::move(wishes), true}, root, order);
    EXPECT_TRUE(followed.implementation.has_value());
    return followed.missed;
  };
  EXPECT_EQ(missed({{"size(mad.n0)", {"1"}}, {"dim_kind(mad.n0)", {"BLOCK", "LOOP"}}}),
            "dim_kind(mad.n0)");
  EXPECT_EQ(missed({{"size(mad.n0)", {"1"}}, {"dim_kind(mad.n0)", {"LOOP", "UNROLL"}}}), "");
  // What the space does not have at all is no wish.
  EXPECT_EQ(missed({{"colour(mad.n0)", {"RED"}}, {"dim_kind(mad.n9)", {"LOOP"}}}), "");
}

TEST(First, EveryKernelHasThemOnAGpu) {
  for (const std::string& kernel : KernelNames()) {
    const Begun begun = Begin(kernel, "", "h200");
    const bool is_product = kernel == "matmul";
    const std::size_t count = is_product ? 4 : 3;
    ASSERT_EQ(begun.first.size(), count) << kernel;
    EXPECT_NE(begun.Source(count - 2).text, begun.Source(count - 1).text) << kernel;
    const kernels::Source source = begun.Source(0);
    EXPECT_GE(source.gpu->launch.threads, 32u) << kernel;
    EXPECT_LE(source.gpu->launch.threads, 1024u) << kernel;
    EXPECT_GE(source.gpu->launch.grid * source.gpu->launch.threads, 128u) << kernel;
  }
}

TEST(First, ProductsHaveRingsWhereTheDeviceCopiesAsynchronously) {
  struct Case {
    const char* size;
    std::uint64_t grid;
    const char* copy;  ///< Of the first operand.
  };
  // As much of the result in a block as leaves enough blocks.
  for (const Case& one : {Case{"m=4096,n=4096,k=4096", 1024, "exh_copy_cg<16>"},
                          Case{"m=1024,n=1024,k=1024,relu=1", 128, "exh_copy_cg<16>"},
                          Case{"m=512,n=512,k=512,transpose_a=1", 64, "exh_copy_cg<16>"},
                          Case{"m=512,n=512,k=512,a_stride=32", 64, "exh_copy_ca<4>"}}) {
    const Begun begun = Begin("matmul", one.size, "h200");
    ASSERT_EQ(begun.first.size(), 4u) << one.size;
    const kernels::Source source = begun.Source(0);
    EXPECT_EQ(source.gpu->launch.threads, 256u) << one.size;
    EXPECT_EQ(source.gpu->launch.grid, one.grid) << one.size;
    EXPECT_THAT(source.text, HasSubstr(one.copy)) << one.size;
    EXPECT_THAT(source.text, HasSubstr("exh_wait<1>();")) << one.size;
  }
  // Beyond axes that are covered, copies fill with zeros.
  const Begun covered = Begin("matmul", "m=1000,n=1000,k=1000", "h200");
  ASSERT_EQ(covered.first.size(), 4u);
  EXPECT_THAT(covered.Source(0).text, HasSubstr("< 1000u);"));
  // No whole tiles, no such copies, no products of arguments alone.
  EXPECT_EQ(Begin("matmul", "m=24,n=24,k=24", "h200").first.size(), 3u);
  EXPECT_EQ(Begin("matmul", "m=512,n=512,k=512", "k4000").first.size(), 3u);
  EXPECT_EQ(Begin("mv", "m=4096,n=4096", "h200").first.size(), 3u);
}

}  // namespace
}  // namespace exh::search
