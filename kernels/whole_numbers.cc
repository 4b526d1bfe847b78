// SPDX-License-Identifier: MIT
//
// What whole numbers come to in a backbone is estimated from instruction to instruction: a value's
// usual size, and what it is a multiple of. Whether that holds the reference says (MakeProblem()).
#include "kernels/whole_numbers.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/ir/ops.h"

namespace exh::kernels {
namespace {

constexpr double kExact = 1 << 24;
constexpr double kMargin = 0.7;     ///< What is estimated varies.
constexpr double kWideSize = 3100;  ///< Root mean square of odd numbers from 2049 to 4095.
constexpr int kElement = 4095;      ///< Twelve bits, too.
constexpr int kMostWide = 4;

/// The largest power of two that `value` is a multiple of; infinity for 0, which is one of any.
double LowestBit(float value) {
  if (value == 0) return INFINITY;
  if (!std::isfinite(value)) return 0;
  int exponent = 0;
  const auto bits = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 24));
  return std::ldexp(static_cast<double>(bits & -bits), exponent - 24);
}

/// Dimensions of consumers that the iterations of `dim` reach, and itself.
std::set<std::size_t> Reached(const ir::Function& function, ir::DimId dim) {
  std::set<std::size_t> reached = {dim.index()};
  for (bool grows = true; grows;) {
    grows = false;
    for (const ir::DimPair& pair : function.pairs) {
      if (pair.planned || reached.count(pair.src.index()) == 0) continue;
      grows |= reached.insert(pair.dst.index()).second;
    }
  }
  return reached;
}

bool IsSummed(const ir::Function& function, const ir::LogicalDim& axis) {
  std::set<std::size_t> summed;
  for (const ir::Instruction& inst : function.insts) {
    for (const ir::DimId dim : inst.reduce_dims) summed.insert(dim.index());
  }
  for (const ir::DimId dim : axis.dims) {
    for (const std::size_t reached : Reached(function, dim)) {
      if (summed.count(reached) > 0) return true;
    }
  }
  return false;
}

double Terms(const ir::Function& function, const ir::Instruction& inst) {
  std::set<std::size_t> axes;
  double terms = 1;
  for (const ir::DimId dim : inst.reduce_dims) {
    const ir::LogicalDimId axis = function.dim(dim).logical;
    if (axes.insert(axis.index()).second) terms *= function.logical(axis).total;
  }
  return terms;
}

/// The walk through a backbone.
class Sizes {
 public:
  Sizes(const ir::Function& function, const WholeNumbers& numbers)
      : function_(function), numbers_(numbers), shapes_(InputShapes(function)) {
    for (const ir::Instruction& inst : function.insts) {
      if (inst.op == ir::Op::kStore) Of(inst);
    }
  }

  /// Largest sum as a multiple of what all its terms are multiples of.
  double largest() const { return largest_; }
  double unit() const { return unit_; }

 private:
  struct Value {
    double size = 0;
    double unit = INFINITY;
  };

  Value Of(const ir::Operand& operand) {
    switch (operand.kind) {
      case ir::Operand::Kind::kLiteral:
        return {std::abs(operand.literal), LowestBit(operand.literal)};
      case ir::Operand::Kind::kScalar: {
        const auto found = std::ranges::find(function_.scalars, operand.scalar, &ir::Scalar::name);
        const float value = found == function_.scalars.end() ? 1 : found->value;
        return {std::abs(value), LowestBit(value)};
      }
      case ir::Operand::Kind::kComm:
        return Of(operand.comm);
    }
    return {};
  }
  Value Of(ir::CommId comm) { return Of(function_.inst(function_.comm(comm).producer)); }

  Value Of(const ir::Instruction& inst) {
    const auto operand = [&](std::size_t index) { return Of(inst.operands.at(index)); };
    const auto product = [](const Value& a, const Value& b) {
      const double unit = std::isinf(a.unit) || std::isinf(b.unit) ? INFINITY : a.unit * b.unit;
      return Value{a.size * b.size, unit};
    };
    if (inst.op == ir::Op::kLoad) {
      const InputShape& shape = shapes_[inst.array.index()];
      return {shape.is_summed() ? Usual(numbers_.range) : numbers_.element, 1};
    }
    if (inst.op == ir::Op::kStore) return operand(0);
    Value value;
    if (inst.is_reduction()) {
      const Value term = inst.op == ir::Op::kMad ? product(operand(0), operand(1)) : operand(0);
      Value begin = inst.init.valid() ? Of(inst.init) : Value{};
      const bool picks = inst.op == ir::Op::kMax || inst.op == ir::Op::kMin;
      if (picks && std::isinf(begin.size)) begin = {};  // Every term is picked before it.
      if (inst.op == ir::Op::kMul) {
        Note({1, 0});
        return {1, 0};
      }
      const double n = picks ? 1 : Terms(function_, inst);
      const double wide = static_cast<double>(numbers_.wide) * kWideSize * kWideSize *
                          static_cast<double>(shapes_.size());
      value.size = std::sqrt(n * term.size * term.size + wide) + begin.size;
      value.unit = std::min(term.unit, begin.unit);
      Note({std::sqrt(n) * value.size, value.unit});
      return value;
    }
    if (!ir::InfoOf(inst.op).keeps_whole) {
      const Value any = {1, 0};
      Note(any);
      return any;
    }
    value = operand(inst.op == ir::Op::kSelect ? 1 : 0);
    if (inst.op == ir::Op::kMul || inst.op == ir::Op::kMad) value = product(value, operand(1));
    if (inst.op == ir::Op::kLess || inst.op == ir::Op::kEqual) value = {1, 1};
    const bool has_other = inst.op == ir::Op::kAdd || inst.op == ir::Op::kSub ||
                           inst.op == ir::Op::kMin || inst.op == ir::Op::kMax ||
                           inst.op == ir::Op::kMad || inst.op == ir::Op::kSelect;
    if (has_other) {
      const Value other = operand(inst.operands.size() - 1);
      value = {value.size + other.size, std::min(value.unit, other.unit)};
    }
    Note(value);
    return value;
  }

  void Note(const Value& value) {
    if (std::isinf(value.unit)) return;  // Nothing but zeros.
    largest_ = std::max(largest_, value.unit == 0 ? INFINITY : value.size / value.unit);
    unit_ = std::min(unit_, value.unit);
  }

  /// Root mean square of 1 … range.
  static double Usual(int range) { return std::sqrt((range + 1) * (2 * range + 1) / 6.0); }

  const ir::Function& function_;
  const WholeNumbers& numbers_;
  std::vector<InputShape> shapes_;
  double largest_ = 0, unit_ = 1;
};

}  // namespace

bool InputShape::is_summed() const {
  return std::ranges::any_of(axes, &Axis::is_summed);
}

bool InputShape::has_slices() const {
  return std::ranges::any_of(axes, [](const Axis& axis) { return !axis.is_summed; });
}

std::uint64_t InputShape::Positions() const {
  std::uint64_t positions = 1;
  for (const Axis& axis : axes) {
    if (axis.is_summed) positions *= static_cast<std::uint64_t>(axis.total);
  }
  return positions;
}

std::uint64_t InputShape::Number(std::uint64_t element, bool summed) const {
  std::uint64_t number = 0;
  for (const Axis& axis : axes) {
    if (axis.is_summed != summed) continue;
    const auto total = static_cast<std::uint64_t>(axis.total);
    number = number * total + element / static_cast<std::uint64_t>(axis.stride) % total;
  }
  return number;
}

std::vector<InputShape> InputShapes(const ir::Function& function) {
  std::vector<InputShape> shapes(function.arrays.size());
  for (const ir::Instruction& inst : function.insts) {
    if (inst.op != ir::Op::kLoad || inst.planned) continue;
    InputShape& shape = shapes[inst.array.index()];
    if (!shape.axes.empty()) continue;  // Read twice: as it is read first.
    for (const ir::AccessAxis& axis : inst.access) {
      const ir::LogicalDim& logical = function.logical(axis.logical);
      // An array that is the same along an axis has no place on it.
      if (axis.stride <= 0) continue;
      shape.axes.push_back({axis.stride, logical.total, IsSummed(function, logical)});
    }
    std::ranges::stable_sort(shape.axes, std::greater<>(), &InputShape::Axis::stride);
  }
  return shapes;
}

std::vector<bool> PositiveArrays(const ir::Function& function) {
  std::vector<bool> positive(function.arrays.size(), false);
  for (const ir::Instruction& inst : function.insts) {
    const bool wants =
        inst.op == ir::Op::kSqrt || inst.op == ir::Op::kRsqrt || inst.op == ir::Op::kLog;
    if (!wants || inst.operands[0].kind != ir::Operand::Kind::kComm) continue;
    const ir::Instruction& producer = function.inst(function.comm(inst.operands[0].comm).producer);
    if (producer.op == ir::Op::kLoad) positive[producer.array.index()] = true;
  }
  return positive;
}

bool MayLeaveNumbers(const ir::Function& function) {
  return std::ranges::any_of(function.insts, [](const ir::Instruction& inst) {
    const bool multiplies = inst.op == ir::Op::kMul && inst.is_reduction();
    return multiplies || (!ir::InfoOf(inst.op).keeps_whole && inst.op != ir::Op::kTanh);
  });
}

int SumsInARow(const ir::Function& function) {
  const auto depth = [&](const auto& self, const ir::Instruction& inst) -> int {
    int most = 0;
    for (const ir::Communication& comm : function.comms) {
      if (comm.planned || comm.consumer != inst.id) continue;
      most = std::max(most, self(self, function.inst(comm.producer)));
    }
    return most + (inst.is_reduction() ? 1 : 0);
  };
  int most = 0;
  for (const ir::Instruction& inst : function.insts) {
    if (inst.op == ir::Op::kStore) most = std::max(most, depth(depth, inst));
  }
  return most;
}

double WholeNumberUnit(const ir::Function& function) {
  return Sizes(function, {}).unit();
}

std::vector<WholeNumbers> WholeNumberPlans(const ir::Function& function) {
  // Numbers of few bits, so that a sum does not swallow what is added to it by mistake; the wide
  // ones are for what few bits cannot show.
  std::vector<WholeNumbers> plans;
  for (const int wide : {kMostWide, 2, 1, 0}) {
    if (wide > 0 && SumsInARow(function) != 1) continue;
    for (const int range : {8, 5, 3, 2, 1}) {
      for (const int element : {kElement, range}) {
        const WholeNumbers plan = {range, element, wide};
        if (range < 3 && wide > 0) continue;
        if (Sizes(function, plan).largest() < kMargin * kExact) plans.push_back(plan);
      }
    }
  }
  plans.push_back({});
  return plans;
}

}  // namespace exh::kernels
