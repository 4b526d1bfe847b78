// SPDX-License-Identifier: MIT
//
// The operators of tests/kernels/fused/operators, files as people have them: their statements, and
// that every kind is among them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "kernels/fused/graph/read.h"
#include "kernels/fused/group.h"
#include "kernels/fused/inputs.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/reference.h"

namespace exh::kernels::fused {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Fixtures, HaveEveryKindAndTheStatementsBesideThem) {
  std::set<Kind> kinds;
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(EXH_SOURCE_DIR "/tests/kernels/fused/operators")) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    const ReadResult result = ReadOperator(ReadFile(entry.path()));
    ASSERT_TRUE(result.graph) << entry.path();
    for (const Operation& operation : result.graph->operations) kinds.insert(operation.kind);
    const StatementList list = StatementsOf(*result.graph);
    EXPECT_EQ(TextOf(list),
              ReadFile(std::filesystem::path(entry.path()).replace_extension(".txt")));
    // Fewer statements compute the same bits.
    const auto inputs = DrawInputs(*result.graph, 5);
    const StatementList grouped = Grouped(list);
    EXPECT_LE(grouped.statements.size(), list.statements.size());
    const auto values = Evaluate(list, inputs), of_groups = Evaluate(grouped, inputs);
    for (std::size_t i = 0; i < list.tensors.size(); ++i) {
      if (!list.tensors[i].is_result()) continue;
      EXPECT_EQ(values[i].values, of_groups[i].values) << list.tensors[i].name;
    }
  }
  EXPECT_GE(files, 6u);
  for (const KindInfo& info : AllKinds()) EXPECT_TRUE(kinds.contains(info.kind)) << info.name;
}

}  // namespace
}  // namespace exh::kernels::fused
