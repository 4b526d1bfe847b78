// SPDX-License-Identifier: MIT
//
// The operators of tests/kernels/fused/operators, files as people have them: their statements, and
// that every kind is among them.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kernels/fused/group.h"
#include "kernels/fused/inputs.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/reference.h"
#include "tests/kernels/fused/operator_files.h"
#include "tests/support/tree.h"

namespace exh::kernels::fused {
namespace {

TEST(Fixtures, HaveEveryKindAndTheStatementsBesideThem) {
  std::set<Kind> kinds;
  const auto operators = testing::AllOperators();
  for (const auto& [name, graph] : operators) {
    for (const Operation& operation : graph.operations) kinds.insert(operation.kind);
    const StatementList list = StatementsOf(graph);
    EXPECT_EQ(TextOf(list), testing::ReadFile(std::string(kSourceDir) +
                                              "/tests/kernels/fused/operators/" + name + ".txt"));
    // Fewer statements compute the same bits.
    const auto inputs = DrawInputs(graph, 5);
    const StatementList grouped = Grouped(list);
    EXPECT_LE(grouped.statements.size(), list.statements.size());
    const auto values = Evaluate(list, inputs), of_groups = Evaluate(grouped, inputs);
    for (std::size_t i = 0; i < list.tensors.size(); ++i) {
      if (!list.tensors[i].is_result()) continue;
      EXPECT_EQ(values[i].reference, of_groups[i].reference) << list.tensors[i].name;
    }
  }
  EXPECT_GE(operators.size(), 6u);
  for (const KindInfo& info : AllKinds()) EXPECT_TRUE(kinds.contains(info.kind)) << info.name;
}

}  // namespace
}  // namespace exh::kernels::fused
