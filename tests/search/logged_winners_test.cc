// SPDX-License-Identifier: MIT
#include "search/subject/winners/logged_winners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/descend/choice_order.h"
#include "search/descend/first.h"
#include "search/subject/problem.h"
#include "tests/search/small_matmul.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WinnersTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void WriteList(const std::string& name, const std::string& kernel, const std::string& size,
                 const std::string& decisions = "size(mad.m1)=4\n") {
    Write(name, "kernel: " + kernel + "\nsize: " + size + "\ndevice: h200\n" + decisions);
  }
  std::vector<LoggedWinner> Near(std::size_t most = 10, const std::string& folder = "") {
    return NearestWinners(folder.empty() ? folder_.path() : folder, *problem_.kernel,
                          problem_.sizes, problem_.device, most);
  }
  static std::vector<std::string> NamesOf(const std::vector<LoggedWinner>& winners) {
    std::vector<std::string> names;
    for (const LoggedWinner& winner : winners) names.push_back(winner.name);
    return names;
  }

  TempFolder folder_;
  const Problem problem_ = SmallMatmul();  // 64 x 64 x 64.
};

TEST_F(WinnersTest, AreThoseOfTheNearestSizes) {
  WriteList("far.txt", "matmul", "m=1024,n=64,k=64");
  WriteList("near.replay", "matmul", "m=64,n=128,k=64");
  WriteList("more/other.txt", "matmul", "m=128,n=128,k=64");
  const std::vector<LoggedWinner> winners = Near();
  EXPECT_THAT(NamesOf(winners), ElementsAre("near", "other", "far"));
  EXPECT_EQ(winners[0].distance, 1);
  EXPECT_EQ(winners[1].distance, 2);
  EXPECT_EQ(winners[2].distance, 4);
  EXPECT_EQ(winners[0].hash.size(), 8u);
  EXPECT_THAT(NamesOf(Near(1)), ElementsAre("near"));
}

TEST_F(WinnersTest, OfSomethingElseArePassedOver) {
  WriteList("kernel.txt", "mv", "m=64,n=64");
  WriteList("option.txt", "matmul", "m=64,n=64,k=64,transpose_a=1");
  WriteList("type.txt", "matmul", "m=64,n=64,k=64,type=f16");
  WriteList("size.txt", "matmul", "m=64,n=64,kk=64");
  WriteList("no_decision.txt", "matmul", "m=64,n=64,k=64", "size(mad.m1)\n");
  Write("device.txt", "kernel: matmul\nsize: m=64\ndevice: cpu\nsize(mad.m1)=4\n");
  Write("text.txt", "kernel: matmul\nsize: m=64\ndevice: h200\ntext: \"kernel matmul\"\n");
  Write("words.txt", "This is: no list.\n");
  WriteList("list.md", "matmul", "m=64,n=64,k=64");
  WriteList("too/deep/list.txt", "matmul", "m=64,n=64,k=64");
  EXPECT_THAT(Near(), IsEmpty());
  EXPECT_THROW(Near(10, folder_ / "not there"), UsageError);
}

TEST_F(WinnersTest, OfTheSameSizesThoseOfTheClassOfTheDeviceComeFirst) {
  WriteList("a.txt", "matmul", "m=64,n=64,k=64");
  WriteList("b-h200.txt", "matmul", "m=64,n=64,k=64");
  EXPECT_THAT(NamesOf(Near()), ElementsAre("b-h200", "a"));
}

TEST_F(WinnersTest, HaveTheSizesOfTheProblem) {
  WriteList("double.txt", "matmul", "m=128,n=128,k=128",
            "size(mad.m0)=8\nsize(mad.m1)=4\nsize(mad.n0)=8\nsize(mad.n1)=3\n"
            "dim_kind(mad.m0)=LOOP|BLOCK\nsize(nothing.m1)=5\n");
  const runtime::Candidate root = problem_.root();
  const std::vector<LoggedWinner> winners = Near();
  ASSERT_EQ(winners.size(), 1u);
  const kernels::Recipe scaled = Scaled(winners[0], root.instance());
  ASSERT_EQ(scaled.wishes.size(), 6u);
  const auto first = [&](std::size_t wish) { return scaled.wishes[wish].values.front(); };
  EXPECT_EQ(first(0), "4") << "the outermost level shrinks with its axis";
  EXPECT_EQ(first(2), "4");
  EXPECT_EQ(first(1), "4") << "a tile stays";
  EXPECT_EQ(first(3), "4") << "the nearest that there is to 3";
  EXPECT_THAT(scaled.wishes[4].values, ElementsAre("LOOP", "BLOCK"));
  EXPECT_THAT(scaled.wishes[5].values, ElementsAre("5"));
  EXPECT_GT(scaled.wishes[1].values.size(), 1u);
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  EXPECT_TRUE(Follow(scaled, root, order).implementation.has_value());
}

TEST_F(WinnersTest, SomeAreShipped) {
  ProblemOptions options;
  options.kernel = "matmul";
  options.device = "h200";
  const kernels::Kernel& kernel = FindKernel(options);
  const auto winners =
      NearestWinners(ShippedWinners(), kernel, ParseSizes(kernel, "m=1024,n=1024,k=1024"),
                     problem_.device, kIslandsNearWinners);
  ASSERT_EQ(winners.size(), kIslandsNearWinners);
  for (const LoggedWinner& winner : winners) {
    EXPECT_EQ(winner.distance, 0);
    EXPECT_FALSE(winner.recipe.wishes.empty());
  }
}

}  // namespace
}  // namespace exh::search
