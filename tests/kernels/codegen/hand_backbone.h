// SPDX-License-Identifier: MIT
//
// Backbones with schedules written by hand: a test draws the loop tree, and the decisions that
// mean it follow.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/codegen/loops/schedule.h"
#include "kernels/ir/function.h"

namespace exh::kernels::codegen::testing {

/// z = alpha * x + y over n; levels n0, n1, n2. Values of x and y may go through temporaries.
ir::Function Axpy(std::uint32_t n);

/// How far the loops over the axes of a product run; 0: as far as the axis.
struct Extents {
  std::uint32_t m = 0, n = 0, k = 0;
};

/// C = A * B, row-major, of elements of one type; levels m0 m1 m2, n0 n1 n2, k0 k1; element stride
/// `a_stride` in A. Instructions load_a, load_b, init, mad, store; temporaries tmp.load_a,
/// tmp.load_b. Each sum begins with `first`.
ir::Function Matmul(std::uint32_t m, std::uint32_t n, std::uint32_t k, std::uint32_t a_stride = 1,
                    ir::Type type = ir::Type::kF32, double first = 0, Extents extents = {});

/// y[m] = `op` over k of x[m, k] (of kMad: of x[m, k] * w[k]), x row-major, beginning with `first`;
/// levels m0 m1, k0 k1 k2, of which k may run further than the axis. Instructions load_x, load_w,
/// init, red, store.
ir::Function Rows(std::uint32_t m, std::uint32_t k, ir::Op op, ir::Type type = ir::Type::kF32,
                  double first = 0, std::uint32_t extent_k = 0);

/// A loop with a body, or an instruction.
struct Item {
  DimKind kind = DimKind::LOOP;
  std::string dims;  ///< "mad.m0 + load_a.m0"; empty: an instruction.
  std::uint32_t size = 0;
  int axis = -1;  ///< THREAD: 0 is the outermost hardware axis.
  std::string inst;
  std::vector<Item> body;
};
using Items = std::vector<Item>;

Item Block(std::string dims, std::uint32_t size, Items body);
Item Loop(std::string dims, std::uint32_t size, Items body);
Item Unroll(std::string dims, std::uint32_t size, Items body);
Item Vector(std::string dims, std::uint32_t size, Items body);
Item Thread(int axis, std::string dims, std::uint32_t size, Items body);
Item Exec(std::string inst);

/// The layout of a temporary; by default SHARED, with a VECTOR axis innermost, else the last axis.
struct Layout {
  MemSpace space = MemSpace::SHARED;
  std::vector<std::string> innermost_first;  ///< Names of stored axes: "k1".
};

/// The schedule whose loop tree is `items`. A communication is lowered when its temporary store
/// is drawn. Reductions that a BLOCK divides become one by `across`. Unknown names abort.
Schedule Draw(const ir::Function& function, const Items& items,
              const std::map<std::string, Layout>& layouts = {},
              AcrossBlocks across = AcrossBlocks::NOT_ACROSS);

}  // namespace exh::kernels::codegen::testing
