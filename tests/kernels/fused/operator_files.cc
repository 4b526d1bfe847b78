// SPDX-License-Identifier: MIT
#include "tests/kernels/fused/operator_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "kernels/fused/graph/read.h"
#include "tests/support/tree.h"

namespace exh::kernels::fused::testing {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::map<std::string, Graph> AllOperators() {
  std::map<std::string, Graph> all;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(kSourceDir) +
                                                               "/tests/kernels/fused/operators")) {
    if (entry.path().extension() != ".json") continue;
    ReadResult result = ReadOperator(ReadFile(entry.path()));
    EXPECT_TRUE(result.graph) << entry.path();
    if (result.graph) all.emplace(entry.path().stem(), std::move(*result.graph));
  }
  return all;
}

}  // namespace exh::kernels::fused::testing
