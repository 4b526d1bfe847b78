// SPDX-License-Identifier: MIT
#include "kernels/derived/expression.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace exh::kernels::derived {
namespace {

/// Which logical dims are the same axis: those whose dims a communication pairs.
class SameAxis {
 public:
  explicit SameAxis(const ir::Function& function) : parent_(function.logical_dims.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (const ir::DimPair& pair : function.pairs) {
      if (pair.planned) continue;
      const std::size_t a = Root(function.dim(pair.src).logical.index());
      const std::size_t b = Root(function.dim(pair.dst).logical.index());
      parent_[std::max(a, b)] = std::min(a, b);
    }
  }

  std::size_t Root(std::size_t logical) const {
    while (parent_[logical] != logical) logical = parent_[logical];
    return logical;
  }

 private:
  std::vector<std::size_t> parent_;
};

class Reader {
 public:
  explicit Reader(const ir::Function& function)
      : function_(function),
        same_(function),
        axis_of_(function.logical_dims.size(), -1),
        node_of_(function.insts.size(), -1) {}

  Expression Read() {
    for (const ir::Instruction& inst : function_.insts) {
      if (!inst.planned) AddNode(inst);
    }
    return std::move(out_);
  }

 private:
  int AxisOf(ir::LogicalDimId id) {
    int& axis = axis_of_[same_.Root(id.index())];
    if (axis < 0) {
      const ir::LogicalDim& logical = function_.logical(id);
      axis = static_cast<int>(out_.axes.size());
      // "mad.m" is axis m in the nest of mad.
      out_.axes.push_back({logical.name.substr(logical.name.find('.') + 1), logical.total});
    }
    return axis;
  }

  int NodeOf(ir::CommId comm) const {
    const int node = node_of_[function_.comm(comm).producer.index()];
    EXH_CHECK(node >= 0);
    return node;
  }

  Expression::Input InputOf(const ir::Operand& operand) const {
    switch (operand.kind) {
      case ir::Operand::Kind::kLiteral:
        return {-1, operand.literal, ""};
      case ir::Operand::Kind::kScalar: {
        const auto found = std::ranges::find(function_.scalars, operand.scalar, &ir::Scalar::name);
        EXH_CHECK(found != function_.scalars.end());
        return {-1, found->value, operand.scalar};
      }
      case ir::Operand::Kind::kComm:
        return {NodeOf(operand.comm), 0, ""};
    }
    return {};
  }

  void AddNode(const ir::Instruction& inst) {
    Expression::Node node;
    node.name = inst.name();
    node.op = inst.op;
    for (const ir::Operand& operand : inst.operands) node.inputs.push_back(InputOf(operand));
    for (const ir::DimId dim : inst.dims) {
      const ir::Dimension& of = function_.dim(dim);
      std::vector<int>& list = of.is_reduction ? node.reduced : node.axes;
      const int axis = AxisOf(of.logical);
      if (std::ranges::find(list, axis) == list.end()) list.push_back(axis);
    }
    if (inst.init.valid()) node.init = NodeOf(inst.init);
    node.array = inst.array;
    node.offset = inst.offset;
    for (const ir::AccessAxis& access : inst.access) {
      node.strides.emplace_back(AxisOf(access.logical), access.stride);
    }
    node_of_[inst.id.index()] = static_cast<int>(out_.nodes.size());
    if (inst.op == ir::Op::kStore) out_.outputs.push_back(static_cast<int>(out_.nodes.size()));
    out_.nodes.push_back(std::move(node));
  }

  const ir::Function& function_;
  SameAxis same_;
  std::vector<int> axis_of_;  ///< By root of logical dims.
  std::vector<int> node_of_;  ///< By instruction.
  Expression out_;
};

}  // namespace

std::int64_t Expression::Node::stride(int axis) const {
  for (const auto& [of, step] : strides) {
    if (of == axis) return step;
  }
  return 0;
}

std::uint64_t Expression::Points(const std::vector<int>& of_axes) const {
  std::uint64_t points = 1;
  for (const int index : of_axes) points *= axis(index).total;
  return points;
}

std::vector<int> Expression::Uses() const {
  std::vector<int> uses(nodes.size(), 0);
  for (const Node& reader : nodes) {
    for (const Input& input : reader.inputs) {
      if (!input.is_number()) ++uses[static_cast<std::size_t>(input.node)];
    }
    if (reader.init >= 0) ++uses[static_cast<std::size_t>(reader.init)];
  }
  return uses;
}

Expression ExpressionOf(const ir::Function& function) {
  return Reader(function).Read();
}

}  // namespace exh::kernels::derived
