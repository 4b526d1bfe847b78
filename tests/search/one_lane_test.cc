// SPDX-License-Identifier: MIT
#include "tests/search/one_lane_log.h"
#include "tests/support/tree.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace exh::search {
namespace {

/// golden/one-lane.jsonl was written before there were lanes: who measures at one place alone must
/// not notice that others measure at several.
TEST(OneLane, ItsLogIsByteForByteAsBefore) {
  std::ifstream file(std::string(kSourceDir) + "/tests/search/golden/one-lane.jsonl");
  std::ostringstream golden;
  golden << file.rdbuf();
  std::istringstream before(golden.str()), now(OneLaneLogs());
  std::string was, is;
  for (int line = 1; std::getline(before, was); ++line) {
    ASSERT_TRUE(std::getline(now, is)) << "line " << line << " is missing: " << was;
    ASSERT_EQ(is, was) << "line " << line;
  }
  EXPECT_FALSE(std::getline(now, is)) << "more than before: " << is;
}

}  // namespace
}  // namespace exh::search
