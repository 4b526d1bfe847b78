// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <set>
#include <string>

#include "tests/kernels/codegen/hand_backbone.h"

namespace exh::kernels::codegen::testing {

/// A random legal implementation of matmul: block or loop tiles, thread axes, unrolled and vector
/// register tiles of each nest of their own, operands in registers or staged through temporaries
/// whose nests use the thread axes in their own way.
struct RandomMatmul {
  ir::Function function;
  Schedule schedule;
  double first = 0;                ///< What each sum begins with.
  std::set<std::string> features;  ///< What it exercises: "thread", "stage a", …
};

/// The same seed gives the same implementation. `across`: if it is not NOT_ACROSS, blocks divide
/// the sums among them, and their parts become one in this way. `covered`: loops run further than
/// the axes, each of which is up to a quarter shorter than they are.
std::unique_ptr<RandomMatmul> MakeRandomMatmul(unsigned seed, ir::Type type = ir::Type::kF32,
                                               AcrossBlocks across = AcrossBlocks::NOT_ACROSS,
                                               bool covered = false);

}  // namespace exh::kernels::codegen::testing
