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
    ASSERT_EQ(begun.first.size(), 3u) << kernel;
    EXPECT_NE(begun.Source(1).text, begun.Source(2).text) << kernel;
    const kernels::Source source = begun.Source(0);
    EXPECT_GE(source.gpu->launch.threads, 32u) << kernel;
    EXPECT_LE(source.gpu->launch.threads, 1024u) << kernel;
    EXPECT_GE(source.gpu->launch.grid * source.gpu->launch.threads, 128u) << kernel;
  }
}

}  // namespace
}  // namespace exh::search
