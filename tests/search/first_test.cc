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
    ASSERT_GE(begun.first.size(), 3u) << kernel;
    const std::size_t last = begun.first.size() - 1;
    EXPECT_NE(begun.Source(last - 1).text, begun.Source(last).text) << kernel;
    const kernels::Source source = begun.Source(0);
    EXPECT_GE(source.gpu->launch.threads, 32u) << kernel;
    EXPECT_LE(source.gpu->launch.threads, 1024u) << kernel;
    EXPECT_GE(source.gpu->launch.grid * source.gpu->launch.threads, 128u) << kernel;
  }
}

// Blocks of 64 x 64 and 128 x 128 results, 8 x 4 and 8 x 8 for a thread; all threads copy the tile
// of each operand, in vectors, and the rows of the one that is transposed on its way change places.
TEST(First, ProductsOnAGpuCopyTilesFirst) {
  const Begun begun = Begin("matmul", "m=1024,n=1024,k=1024", "h200");
  ASSERT_EQ(begun.first.size(), 5u);
  const struct {
    std::uint32_t threads, grid, shared_bytes;
    const char *copy_a, *copy_b, *sum;
  } expected[] = {
      {128, 256, 64 * 16 * 4 * 2, "load_a.m3+tmp.load_a.st.m3:32 load_a.k1+tmp.load_a.st.k1:4",
       "load_b.k2+tmp.load_b.st.k2:8 load_b.n2+tmp.load_b.st.n2:16",
       "mad.m2+tmp.load_a.ld.m2:8 mad.n2+tmp.load_b.ld.n2:16"},
      {256, 64, 128 * 8 * 4 * 2, "load_a.m3+tmp.load_a.st.m3:128 load_a.k1+tmp.load_a.st.k1:2",
       "load_b.k2+tmp.load_b.st.k2:8 load_b.n2+tmp.load_b.st.n2:32",
       "mad.m2+tmp.load_a.ld.m2:16 mad.n2+tmp.load_b.ld.n2:16"},
  };
  for (std::size_t i = 0; i < 2; ++i) {
    const kernels::Source source = begun.Source(i);
    EXPECT_EQ(source.gpu->launch.threads, expected[i].threads);
    EXPECT_EQ(source.gpu->launch.grid, expected[i].grid);
    EXPECT_EQ(source.gpu->launch.shared_bytes, expected[i].shared_bytes);
    for (const char* threads : {expected[i].copy_a, expected[i].copy_b, expected[i].sum}) {
      EXPECT_THAT(begun.Outline(i), HasSubstr("threads " + std::string(threads)));
    }
    EXPECT_THAT(source.text, HasSubstr("int place_tmp_load_a(int e)"));
    for (const char* access : {"load4(arg_a", "load4(arg_b", "store4(p_tmp_load_b_st",
                               "load4(tmp_load_a", "load4(p_tmp_load_b_ld"}) {
      EXPECT_THAT(source.text, HasSubstr(access));
    }
  }
}

TEST(First, ProductsWithFewResultsAreNotTiled) {
  EXPECT_EQ(Begin("matmul", "m=32,n=32,k=65536", "h200").first.size(), 3u);
  EXPECT_EQ(Begin("gesummv", "", "h200").first.size(), 3u);
}

}  // namespace
}  // namespace exh::search
