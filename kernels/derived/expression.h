// SPDX-License-Identifier: MIT
//
// Expression: what a backbone computes, without its loop nests. Each instruction of a backbone has
// dims of its own; here the dims that communications pair are one axis again, and every
// instruction is a node over such axes. References, yardsticks and library calls are derived from
// this, so that a kernel says its computation once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ir/function.h"

namespace exh::kernels::derived {

struct Expression {
  struct Axis {
    std::string name;
    std::uint32_t total = 1;
  };
  /// An operand: the value of a node, or a number.
  struct Input {
    int node = -1;       ///< -1: a number.
    double number = 0;   ///< Its value: a literal, or the scalar's.
    std::string scalar;  ///< Name of the scalar argument; empty: a literal.
    bool is_number() const { return node < 0; }
  };
  struct Node {
    std::string name;  ///< Of the instruction.
    ir::Op op = ir::Op::kConst;
    /// In the order of the instruction. A reduction's own sum, its last operand, is not among them.
    std::vector<Input> inputs;
    std::vector<int> axes;     ///< Of its value, in the order of its nest; a store: of its points.
    std::vector<int> reduced;  ///< The axes that a reduction accumulates over; else empty.
    int init = -1;             ///< Of a reduction: the node that it begins with.
    ir::ArrayId array;         ///< kLoad, kStore.
    /// kLoad, kStore: elements that a step of an axis moves; no axis twice.
    std::vector<std::pair<int, std::int64_t>> strides;
    std::int64_t offset = 0;  ///< kLoad: the element that index 0 of all axes reads.

    bool is_reduction() const { return !reduced.empty(); }
    std::int64_t stride(int axis) const;  ///< 0 when the access does not have the axis.
  };

  std::vector<Axis> axes;
  std::vector<Node> nodes;   ///< A node stands behind all that it reads.
  std::vector<int> outputs;  ///< The stores, in order.

  std::uint64_t Points(const std::vector<int>& of_axes) const;  ///< Product of their totals.
  const Node& node(int index) const { return nodes[static_cast<std::size_t>(index)]; }
  const Axis& axis(int index) const { return axes[static_cast<std::size_t>(index)]; }
  /// How many nodes read each node, as an operand or to begin with.
  std::vector<int> Uses() const;
};

/// Of what is not planned in `function`, which a builder has finished. Scalars have the values that
/// the function gives them.
Expression ExpressionOf(const ir::Function& function);

}  // namespace exh::kernels::derived
