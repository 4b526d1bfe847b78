// SPDX-License-Identifier: MIT
//
// ExpressionBuilder: writes the nodes of an Expression whose places are index expressions
// (kernels/ir/index) over its axes. Where a place is a sum of axes alone a load has strides;
// otherwise it has an index of its own, which is computed: of x[i / 4] it is i / 4.
//
// Invariants. Equal nodes are one (by_key_). A value is a number or a node whose axes are those
// that it depends on. A load that may leave its array has a guard. The number of a variable of an
// index is that of an axis.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/derived/expression.h"
#include "kernels/ir/index/index.h"

namespace exh::kernels::derived {

class ExpressionBuilder {
 public:
  using Value = Expression::Input;

  /// The arrays by their ids.
  explicit ExpressionBuilder(std::vector<ir::Array> arrays) { out_.arrays = std::move(arrays); }

  const Expression& so_far() const { return out_; }
  const Expression::Node& node(int index) const { return out_.node(index); }

  /// An index from 0 to the product of the lengths; adds an axis for each of them that is not 1.
  ir::Index NewAxes(const std::vector<std::int64_t>& lengths, std::vector<int>& axes);
  static Value WholeNumber(std::int64_t number) { return {-1, number, "", ir::Type::kI32}; }
  /// As a value of kI32, or of another type of integers where it is affine.
  Value Whole(const ir::Index& index, ir::Type type = ir::Type::kI32);
  /// `computes`: by itself what the last operand is; a condition says nothing of it.
  Value Computed(ir::Op op, std::vector<Value> operands, ir::Type type = ir::Type::kF32);
  Value Computed(ir::Op op, std::vector<Value> operands, ir::Type type, ir::Type computes);
  /// An element of an array; `store`: of one that is written, where that was. `is_inside`: others
  /// make sure that it is one (Guarded()).
  Value Loaded(ir::ArrayId array, int store, const ir::Index& element, bool is_inside = false);
  /// `inside` where the index is in 0 … length - 1, else the number.
  Value Guarded(const Value& inside, const ir::Index& index, std::int64_t length, double otherwise);
  /// `term`, added up or so over the axes, beginning with `init`; `type`: of that and of the value.
  Value Gathered(ir::Op op, const Value& term, std::vector<int> axes, const Value& init,
                 ir::Type type = ir::Type::kF32);
  /// Returns its number. `element`: over the axes of the array's points, of which there are none
  /// but those. An output is what is asked for; others are only loaded again.
  int Store(ir::ArrayId array, const Value& value, const ir::Index& element, bool is_output);

  /// What texts call the node, which has no name yet; nodes that are equal have one name.
  void Name(int node, const std::string& name) {
    std::string& own = out_.nodes[static_cast<std::size_t>(node)].name;
    if (own.empty()) own = name;
  }
  /// A node that is like no other, to stand for something.
  int Apart();
  /// Does a node read another one, or is it that one?
  bool ComesOf(int node, int other) const;

  /// Without what no output comes of.
  Expression Take();

 private:
  /// What nodes that are equal have in common. Numbers by their bits, for 0 is not -0.
  struct NodeKey {
    ir::Op op;
    ir::Type type, computes;
    std::vector<int> reduced;
    int init, along;
    ir::Keeps keeps;
    int index, store;
    std::uint16_t array;
    std::int64_t offset;
    Expression::Strides strides;
    std::uint64_t otherwise;
    std::vector<std::tuple<int, ir::Type, std::uint64_t>> inputs;
    std::vector<std::tuple<std::int64_t, Expression::Strides, std::int64_t>> guards;
    friend auto operator<=>(const NodeKey&, const NodeKey&) = default;
  };
  /// An index without remainders: multiples of axes, and of quotients.
  struct Place {
    std::int64_t offset = 0;
    std::map<int, std::int64_t> strides;
    std::vector<std::pair<Value, std::int64_t>> quotients;
  };

  static NodeKey KeyOf(const Expression::Node& node);
  Value NodeOf(Expression::Node node);
  bool IsZero(int node) const;
  Place PlaceOf(const ir::Index& index);
  void AddTo(Place& place, const ir::Index& index, std::int64_t factor);
  Value Whole(const Place& place, ir::Type type = ir::Type::kI32);

  Expression out_;
  std::map<NodeKey, int> by_key_;
};

}  // namespace exh::kernels::derived
