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
#include "kernels/ir/index/affine.h"

namespace exh::kernels::derived {

struct Expression {
  struct Axis {
    std::string name;
    std::uint32_t total = 1;
  };
  /// An operand: the value of a node, or a number.
  struct Input {
    int node = -1;       ///< -1: a number.
    ir::Number number;   ///< Its value, which `type` has: a literal, or the scalar's.
    std::string scalar;  ///< Name of the scalar argument; empty: a literal.
    /// Of the value. That of a literal is what the node computes in, or casts or stores to.
    ir::Type type = ir::Type::kF32;
    bool is_number() const { return node < 0; }
  };
  /// Of axes by how much a step of each moves something; no axis twice.
  using Strides = ir::Affine<int>::Strides;
  /// A dimension of an array that a load may leave: where the index is not in 0 … extent - 1, the
  /// load reads nothing (Node::otherwise).
  struct Guard : ir::Affine<int> {
    std::int64_t extent = 1;
  };
  /// kLoad, kStore: over the axes, the element that is read or written. kIndex: the value.
  struct Node : ir::Affine<int> {
    std::string name;  ///< Of the instruction.
    ir::Op op = ir::Op::kConst;
    ir::Type type = ir::Type::kF32;      ///< Of its value; of a store, of what it writes.
    ir::Type computes = ir::Type::kF32;  ///< What the operator is evaluated in.
    /// In the order of the instruction. A reduction's own sum, its last operand, is not among them.
    std::vector<Input> inputs;
    std::vector<int> axes;     ///< Of its value, in the order of its nest; a store: of its points.
    std::vector<int> reduced;  ///< The axes that a reduction accumulates over; else empty.
    int init = -1;             ///< Of a reduction or a scan: the node that it begins with.
    /// Of a scan, which accumulates its only input step by step: the axis, which its value has;
    /// else -1.
    int along = -1;
    ir::Keeps keeps = ir::Keeps::kLast;  ///< … and whether its value at a step has taken that step.
    ir::ArrayId array;                   ///< kLoad, kStore.
    std::vector<Guard> guards;           ///< kLoad.
    /// kLoad: a node, of kI32, whose value is added to the number of the element; where that is no
    /// element of the array, the load reads nothing. -1: none.
    int index = -1;
    ir::Number otherwise = 0;  ///< kLoad: its value where it reads nothing.
    int store = -1;  ///< kLoad of an array that is written: the store, before it. -1: an input.

    bool is_reduction() const { return !reduced.empty(); }
    bool is_scan() const { return along >= 0; }
    bool accumulates() const { return is_reduction() || is_scan(); }
  };

  std::vector<ir::Array> arrays;  ///< By their ids.
  std::vector<Axis> axes;
  std::vector<Node> nodes;   ///< A node stands behind all that it reads.
  std::vector<int> outputs;  ///< The stores, in order; but not those that are only loaded again.

  std::uint64_t Points(const std::vector<int>& of_axes) const;  ///< Product of their totals.
  const Node& node(int index) const { return nodes[static_cast<std::size_t>(index)]; }
  const Axis& axis(int index) const { return axes[static_cast<std::size_t>(index)]; }
  const ir::Array& array(ir::ArrayId id) const { return arrays[id.index()]; }
  /// The least and the largest value at the points of its axes.
  std::pair<std::int64_t, std::int64_t> Range(const ir::Affine<int>& affine) const;
  /// Is nothing of the operand's value lost when it becomes this type? Scalars may have any value.
  bool Keeps(const Input& input, ir::Type type) const;
  /// Does the node, a cast or a store, lose nothing of its operand?
  bool IsCopy(const Node& node) const;
  /// Is the node a cast that is its operand, maybe as another number that is known?
  bool PassesOn(const Node& node) const;
  /// What a node reads an operand as. Casts and stores take what there is, and so does a condition.
  static ir::Type OperandType(const Node& node, std::size_t operand);
  /// Does a reduction add products of two floats of 8 bits up, as units do with few bits?
  static bool AddsShort(const Node& node);
  /// What a reduction or a scan begins with.
  Input InitOf(const Node& node) const;
  /// Where that is a number that is known: it. Else null.
  const ir::Number* InitNumber(const Node& node) const;
  /// How many terms a reduction accumulates, or a scan until its last point.
  double Steps(const Node& node) const;
  /// Do terms that it accumulates one after the other come of one scan along that axis? They have
  /// roundings in common.
  bool AccumulatesRunning(const Node& node) const;
  /// How many nodes read each node, as an operand or to begin with.
  std::vector<int> Uses() const;
  /// Of each node: does its value come into one that is stored? Others only say which element is
  /// read.
  std::vector<bool> AreValues() const;

  /// Calls `visit` with each node whose value comes into that of `node`.
  template <typename Visit>
  static void ForEachValue(const Node& node, const Visit& visit) {
    for (const Input& input : node.inputs) {
      if (!input.is_number()) visit(input.node);
    }
    if (node.init >= 0) visit(node.init);
    if (node.store >= 0) visit(node.store);
  }
};

/// Has every value of `from` an equal in `to`?
bool KeepsAll(ir::Type from, ir::Type to);

/// What becomes of a value of any type that is cast or stored to this one: to a narrow float it
/// goes by way of what that is computed in.
double Converted(ir::Type to, double value);
ir::Number Converted(ir::Type to, const ir::Number& number);

/// Of what is not planned in `function`, which a builder has finished. Scalars have the values that
/// the function gives them.
Expression ExpressionOf(const ir::Function& function);

}  // namespace exh::kernels::derived
