// SPDX-License-Identifier: MIT
#include "base/spelling.h"

#include <gtest/gtest.h>

namespace exh {
namespace {

const std::vector<std::string> kKernels = {"axpy", "mv", "matmul", "strided_matmul"};

TEST(EditDistance, CountsEditsAndSwaps) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("matmul", "matmul"), 0u);
  EXPECT_EQ(EditDistance("matmull", "matmul"), 1u);
  EXPECT_EQ(EditDistance("mamtul", "matmul"), 1u);  // A swap is one mistake.
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

TEST(Shortened, HasAnEnd) {
  EXPECT_EQ(Shortened("abc", 3), "abc");
  EXPECT_EQ(Shortened("abcd", 3), "abc… (1 bytes more)");
  EXPECT_EQ(Shortened("aäb", 2), "a… (3 bytes more)");  // No half of a character.
  EXPECT_EQ(ShortLines("ab\nabcdefgh\n\nabcd", 4), "ab\nabcd… (4 bytes more) …h\n\nabcd");
  EXPECT_EQ(ShortLines("ab\n", 3), "ab\n");
}

TEST(DidYouMean, ProposesOnlyWhatIsNear) {
  EXPECT_EQ(DidYouMean("ordr", {"size", "order"}), "; did you mean 'order'?");
  EXPECT_EQ(DidYouMean("dims", {"Dims"}), "; did you mean 'Dims'?");
  EXPECT_EQ(DidYouMean("banana", {"size", "order"}), "");
  EXPECT_EQ(DidYouMean("x", {}), "");
}

TEST(NearestName, FindsSlipsOfTheFinger) {
  EXPECT_EQ(NearestName("matmull", kKernels), "matmul");
  EXPECT_EQ(NearestName("MATMUL", kKernels), "matmul");
  EXPECT_EQ(NearestName("axpi", kKernels), "axpy");
  EXPECT_EQ(NearestName("strided", kKernels), "strided_matmul");
}

TEST(NearestName, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(NearestName("convolution", kKernels), std::nullopt);
  EXPECT_EQ(NearestName("", kKernels), std::nullopt);
  EXPECT_EQ(NearestName("x", {}), std::nullopt);
}

TEST(UnknownName, NamesTheNearestOrTheLegalOnes) {
  EXPECT_EQ(UnknownName("kernel", "matmull", kKernels),
            "unknown kernel 'matmull'; did you mean 'matmul'?");
  EXPECT_EQ(UnknownName("kernel", "convolution", kKernels),
            "unknown kernel 'convolution'; legal: axpy, mv, matmul, strided_matmul");
}

}  // namespace
}  // namespace exh
