// SPDX-License-Identifier: MIT
#include "kernels/derived/expression.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "kernels/derived/tolerance.h"
#include "kernels/ir/fragments.h"

namespace exh::kernels::derived {

// Programs promote sums where a reference says that they may have few bits.
static_assert(kShortTerms == ir::kPromotedTerms);

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
    out_.arrays = function_.arrays;
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

  Expression::Input InputOf(const ir::Instruction& inst, const ir::Operand& operand) const {
    switch (operand.kind) {
      case ir::Operand::Kind::kLiteral: {
        const bool is_kept = inst.op == ir::Op::kConst || inst.op == ir::Op::kStore;
        const ir::Type type = is_kept ? inst.type : ir::ComputeTypeOf(inst.computes);
        return {-1, Converted(type, operand.literal), "", type};
      }
      case ir::Operand::Kind::kScalar: {
        const ir::Scalar* const scalar = function_.scalar(operand.scalar);
        EXH_CHECK(scalar != nullptr);
        return {-1, ir::Rounded(scalar->type, scalar->value), operand.scalar, scalar->type};
      }
      case ir::Operand::Kind::kComm:
        return {NodeOf(operand.comm), 0, "", *function_.TypeOf(operand)};
    }
    return {};
  }

  Expression::Strides StridesOf(const std::vector<ir::AccessAxis>& access) {
    Expression::Strides strides;
    for (const ir::AccessAxis& one : access) {
      strides.emplace_back(AxisOf(one.logical), one.stride);
    }
    return strides;
  }

  void AddNode(const ir::Instruction& inst) {
    Expression::Node node;
    node.name = inst.name();
    node.op = inst.op;
    node.type = inst.type;
    node.computes = inst.computes;
    for (const ir::Operand& operand : inst.operands) {
      node.inputs.push_back(InputOf(inst, operand));
    }
    for (const ir::DimId dim : inst.dims) {
      const ir::Dimension& of = function_.dim(dim);
      // The value of a scan has the axis that it accumulates along.
      std::vector<int>& list = of.is_reduction && !inst.is_scan() ? node.reduced : node.axes;
      const int axis = AxisOf(of.logical);
      if (of.is_reduction && inst.is_scan()) node.along = axis;
      if (std::ranges::find(list, axis) == list.end()) list.push_back(axis);
    }
    if (inst.op == ir::Op::kGather) {
      node.op = ir::Op::kLoad;
      node.computes = inst.type;
      node.index = node.inputs.front().node;
      node.inputs.clear();
    }
    if (inst.init.valid()) node.init = NodeOf(inst.init);
    node.keeps = inst.keeps;
    node.array = inst.array;
    node.offset = inst.offset;
    node.strides = StridesOf(inst.access);
    node.otherwise = inst.outside;
    for (const ir::AccessGuard& guard : inst.guards) {
      node.guards.push_back({guard.offset, StridesOf(guard.axes), guard.extent});
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

std::uint64_t Expression::Points(const std::vector<int>& of_axes) const {
  std::uint64_t points = 1;
  for (const int index : of_axes) points *= axis(index).total;
  return points;
}

std::pair<std::int64_t, std::int64_t> Expression::Range(const ir::Affine<int>& affine) const {
  return affine.Range([&](int of) { return std::pair(0, std::int64_t{axis(of).total} - 1); });
}

bool Expression::Keeps(const Input& input, ir::Type type) const {
  if (KeepsAll(input.type, type)) return true;
  if (input.is_number())
    return input.scalar.empty() && ir::AreEqual(Converted(type, input.number), input.number);
  const Node& of = node(input.node);
  if (of.op != ir::Op::kIndex) return false;
  const ir::TypeInfo& info = ir::InfoOf(type);
  const auto [least, largest] = Range(of);
  const double most = std::ldexp(1, info.bits);  // All whole numbers up to it have a value.
  return static_cast<double>(least) >= std::max(-most, info.lowest) &&
         static_cast<double>(largest) <= std::min(most, info.largest);
}

bool Expression::IsCopy(const Node& node) const {
  if (node.op != ir::Op::kConst && node.op != ir::Op::kStore) return false;
  return Keeps(node.inputs.at(0), node.type);
}

bool Expression::PassesOn(const Node& node) const {
  return node.op == ir::Op::kConst && (node.inputs.at(0).is_number() || IsCopy(node));
}

ir::Type Expression::OperandType(const Node& node, std::size_t operand) {
  const bool takes_any = node.op == ir::Op::kConst || node.op == ir::Op::kStore;
  const bool is_condition = node.op == ir::Op::kSelect && operand == 0;
  if (takes_any || is_condition) return node.inputs.at(operand).type;
  return ir::ComputeTypeOf(node.computes);
}

bool Expression::AddsShort(const Node& node) {
  if (!node.is_reduction() || node.op != ir::Op::kMad || node.computes != ir::Type::kF32) {
    return false;
  }
  const ir::Type a = node.inputs.at(0).type, b = node.inputs.at(1).type;
  return ir::IsF8(a) && a == b;
}

Expression::Input Expression::InitOf(const Node& node) const {
  return {node.init, 0, "", this->node(node.init).type};
}

const ir::Number* Expression::InitNumber(const Node& node) const {
  const Node& init = this->node(node.init);
  if (init.op != ir::Op::kConst || !init.inputs.at(0).is_number()) return nullptr;
  return init.inputs[0].scalar.empty() ? &init.inputs[0].number : nullptr;
}

double Expression::Steps(const Node& node) const {
  if (node.is_scan()) return static_cast<double>(axis(node.along).total);
  return static_cast<double>(Points(node.reduced));
}

bool Expression::AccumulatesRunning(const Node& node) const {
  if (!node.accumulates()) return false;
  std::vector<bool> comes_into(nodes.size(), false);
  for (const Input& input : node.inputs) {
    if (!input.is_number()) comes_into[static_cast<std::size_t>(input.node)] = true;
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!comes_into[i]) continue;
    const int along = nodes[i].along;
    const bool is_taken =
        along == node.along || std::ranges::find(node.reduced, along) != node.reduced.end();
    if (along >= 0 && is_taken) return true;
    ForEachValue(nodes[i], [&](int read) { comes_into[static_cast<std::size_t>(read)] = true; });
  }
  return false;
}

std::vector<int> Expression::Uses() const {
  std::vector<int> uses(nodes.size(), 0);
  for (const Node& reader : nodes) {
    ForEachValue(reader, [&](int read) { ++uses[static_cast<std::size_t>(read)]; });
  }
  return uses;
}

std::vector<bool> Expression::AreValues() const {
  std::vector<bool> are_values(nodes.size(), false);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].op == ir::Op::kStore) are_values[i] = true;
    if (!are_values[i]) continue;
    ForEachValue(nodes[i], [&](int read) { are_values[static_cast<std::size_t>(read)] = true; });
  }
  return are_values;
}

bool KeepsAll(ir::Type from, ir::Type to) {
  if (from == to) return true;
  const ir::TypeInfo &a = ir::InfoOf(from), &b = ir::InfoOf(to);
  if (to == ir::Type::kBool || (a.is_float && !b.is_float)) return false;
  if (b.lowest > a.lowest || b.largest < a.largest || b.bits < a.bits) return false;
  // Denormals have the exponent of the smallest other number, and fewer bits.
  return !a.is_float || b.min_exponent - b.bits <= a.min_exponent - a.bits;
}

double Converted(ir::Type to, double value) {
  const ir::TypeInfo& info = ir::InfoOf(to);
  if (info.is_float && info.is_narrow()) value = ir::Rounded(info.compute, value);
  return ir::Rounded(to, value);
}

ir::Number Converted(ir::Type to, const ir::Number& number) {
  const ir::TypeInfo& info = ir::InfoOf(to);
  if (info.is_float) return Converted(to, double{number});
  return ir::Rounded(to, number);
}

Expression ExpressionOf(const ir::Function& function) {
  return Reader(function).Read();
}

}  // namespace exh::kernels::derived
