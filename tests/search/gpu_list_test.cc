// SPDX-License-Identifier: MIT
#include "search/commands/machine/gpu_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace exh::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<kernels::GpuHere> kHere = {{0, "H200"}, {1, "H200"}, {2, "H200"}, {4, "A100"}};

std::string RefusalOf(const std::string& text, const std::vector<kernels::GpuHere>& here = kHere) {
  try {
    ParseGpus(text, here);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(GpuList, TakesNumbersRangesAndAll) {
  EXPECT_THAT(ParseGpus("0-2", kHere), ElementsAre(0, 1, 2));
  EXPECT_THAT(ParseGpus("2,0", kHere), ElementsAre(2, 0));
  EXPECT_THAT(ParseGpus("1-2,2,0", kHere), ElementsAre(1, 2, 0));
  EXPECT_THAT(ParseGpus("4", kHere), ElementsAre(4));
  EXPECT_THAT(ParseGpus("all", {{0, "H200"}, {3, "H200"}}), ElementsAre(0, 3));
}

TEST(GpuList, NamesWhatIsWrongAndWhatThereIs) {
  EXPECT_THAT(RefusalOf("0-3"), HasSubstr("no GPU 3; there is 0, 1, 2, 4"));
  EXPECT_THAT(RefusalOf("all"), HasSubstr("GPU 0 is 'H200', and GPU 4 is 'A100'"));
  EXPECT_THAT(RefusalOf("all", {}), HasSubstr("shows no GPU"));
  EXPECT_THAT(RefusalOf("0", {}), HasSubstr("there is none"));
  for (const char* const bad : {"", "a", "1-", "-1", "2-1", "1,,2", "0-99999999999", "0 1"}) {
    EXPECT_THAT(RefusalOf(bad), HasSubstr("legal: all, 0-3, or 0,2,5")) << bad;
  }
}

}  // namespace
}  // namespace exh::search
