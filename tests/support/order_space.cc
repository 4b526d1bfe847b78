// SPDX-License-Identifier: MIT
#include "tests/support/order_space.h"

#include <numeric>

namespace exh::tests {

TestSpace OrderSpace(int num_instructions, int num_dims) {
  using runtime::Bits;
  constexpr Bits kAll = kBefore | kAfter | kInner | kOuter | kMerged;
  TestSpace test;
  test.space.name = "order";
  const int statements = test.AddRoot("Statements", num_instructions + num_dims);
  std::vector<Object> instruction_objects(num_instructions);
  std::iota(instruction_objects.begin(), instruction_objects.end(), Object{0});
  const int instructions = test.AddSubset("Insts", statements, instruction_objects);
  const int order = test.AddAntisymmetric("order", statements, {1, 0, 3, 2, 4});
  test.space.choices[order].values = {"BEFORE", "AFTER", "INNER", "OUTER", "MERGED"};

  test.Require({Var(instructions), Var(statements)}, {Is(order, {0, 1}, kBefore | kAfter | kInner)},
               "instructions_are_leaves");
  const std::vector<runtime::Variable> three = {Var(statements), Var(statements), Var(statements)};
  const auto implies = [&](Bits first, Bits second, Bits third, const char* label) {
    test.Require(three,
                 {Is(order, {0, 1}, kAll & ~first), Is(order, {1, 2}, kAll & ~second),
                  Is(order, {0, 2}, third)},
                 label);
  };
  implies(kBefore, kBefore, kBefore, "before_is_transitive");
  implies(kInner, kInner, kInner, "inner_is_transitive");
  implies(kBefore, kOuter, kBefore, "before_outer");
  implies(kAfter, kOuter, kAfter, "after_outer");
  implies(kOuter, kInner, kInner | kOuter | kMerged, "common_inner");
  test.Require(three,
               {Is(order, {0, 2}, kAll & ~kMerged),
                Compares(order, {0, 1}, runtime::CompareOp::kEq, {2, 1})},
               "merged_is_the_same");
  return test;
}

}  // namespace exh::tests
